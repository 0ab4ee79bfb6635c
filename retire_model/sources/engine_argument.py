"""What `--engine` means: a folder that is edited in place, or a release that is read and copied."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from analyzer.errors import WrongUse, shown
from analyzer.versions import parse_version
from retire_model.sources.working_copy import working_copy
from retire_model.user_paths import user_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retire_model.sources.releases import ReleaseCache


@dataclass(frozen=True, slots=True)
class EngineFolder:
    """An engine tree of the user's own: the current directory or `--engine PATH`."""

    path: Path


@dataclass(frozen=True, slots=True)
class EngineRelease:
    """A release: `--engine vllm==VERSION`."""

    version: Version


Engine = EngineFolder | EngineRelease


def parse_engine(argument: str | None, option: str = "--engine") -> Engine:
    """What the value of `--engine`, or of an option like it, names; without one, the current directory.

    Raises `WrongUse` for a path without a folder and for a requirement other than `vllm==VERSION`.
    """
    if argument is None:
        return EngineFolder(Path())
    if "==" in argument:
        return EngineRelease(_version(argument, option))
    folder = user_path(argument)
    if not os.path.isdir(folder):  # noqa: PTH112 - unlike Path.is_dir, false for what cannot be asked
        raise WrongUse(
            f"{option} {shown(argument)}: there is no such folder",
            "Name the root of a vLLM checkout, or a release as vllm==VERSION.",
        )
    return EngineFolder(folder)


def tree_to_read(engine: Engine, cache: ReleaseCache) -> Path:
    """The root of the tree that is analysed: of a release, the cached original, which nobody may edit.

    Raises what `ReleaseCache.engine` raises.
    """
    return engine.path if isinstance(engine, EngineFolder) else cache.engine(engine.version)


@contextmanager
def tree_to_write(engine: Engine, cache: ReleaseCache, copy_to: Path | None) -> Iterator[Path]:
    """The root of the tree that is edited: a folder itself; of a release, a fresh copy that no other run replaces.

    The copy goes to `copy_to` (`--copy-to PATH`), else to `vllm-VERSION` in the current directory; an
    earlier copy there is replaced while nobody changed it. Raises `WrongUse` for `copy_to` without a release, and what
    `ReleaseCache.engine` and `working_copy` raise.
    """
    if isinstance(engine, EngineFolder):
        if copy_to is not None:
            raise WrongUse("--copy-to goes with --engine vllm==VERSION", "A folder is edited where it is.")
        yield engine.path
    else:
        with working_copy(cache.engine(engine.version), copy_to or Path(f"vllm-{engine.version}")) as copy:
            yield copy


_RELEASE = re.compile(r"\s*vllm\s*==\s*(?P<version>[^\s,;]+)\s*", re.IGNORECASE)


def _version(argument: str, option: str) -> Version:
    match = _RELEASE.fullmatch(argument)
    try:
        return parse_version(match["version"] if match else "")
    except InvalidVersion as error:
        raise WrongUse(
            f"{option} {shown(argument)}: not a release",
            "Write vllm==VERSION with one full version, as in vllm==0.24.0.",
        ) from error
