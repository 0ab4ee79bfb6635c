"""Lays the Python files of an engine tree over an installed engine: a folder of links to import the engine from.

The tree has no compiled extensions, the installed engine has. What serves models comes from the tree; what serves
devices comes from the build, whose packagers mend it for their device, unless the retirement touches it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retire_model.smoke.engine_python import Package

PACKAGE = "vllm"
OF_THE_TREE = ("model_executor/", "models/", "transformers_utils/", "config/", "lora/", "multimodal/")
"""Folders that serve models: the tree's files there are run in any case."""
CACHE = "__pycache__"


@dataclass(frozen=True, slots=True)
class Overlay:
    """A folder to put on Python's path."""

    folder: Path
    different: tuple[str, ...]
    """Files of the tree that are run and are not what is installed."""
    left_out: tuple[str, ...]
    """Files of the tree that are not what is installed, and not run: the build's own are."""


def lay_over(root: Path, installed: Package, folder: Path, changes: Mapping[str, bytes | None]) -> Overlay:
    """Make in `folder` the engine of the tree `root` on `installed`.

    `changes` are contents, by file from the root, that are run in place of the tree's; None where the file is gone.
    Raises `EnvironmentProblem` where the folder cannot be written.
    """
    theirs, ours = _files(installed.folder), _files(root / PACKAGE)
    changed = {file.removeprefix(f"{PACKAGE}/"): data for file, data in changes.items() if file.startswith(PACKAGE)}
    different, left_out = [], []
    try:
        for file in sorted(theirs.keys() | ours.keys() | changed.keys()):
            wheel, tree = theirs.get(file), ours.get(file)
            if file in changed:
                data = changed[file]
                if data is not None:
                    _place(folder, file).write_bytes(data)
                different.append(file)
            elif tree is not None and wheel is not None and _same(tree, wheel):
                _link(folder, file, wheel)
                _link_compiled(folder, file, wheel)
            elif tree is not None and (wheel is None or file.startswith(OF_THE_TREE)):
                _link(folder, file, tree)
                different.append(file)
            elif wheel is not None and (tree is not None or not _deleted(file)):
                _link(folder, file, wheel)
                if tree is not None:
                    left_out.append(file)
        _alias(folder, installed)
    except OSError as error:
        raise EnvironmentProblem(f"cannot lay the tree over the engine: {error}", "Mend that and run again.") from error
    return Overlay(folder, tuple(different), tuple(left_out))


def _deleted(file: str) -> bool:
    """Whether a file that only the installed engine has must have been taken out of the tree."""
    return file.endswith(".py") and file.startswith(OF_THE_TREE)


def _files(package: Path) -> dict[str, Path]:
    return dict(_walk(package))


def _walk(package: Path) -> Iterator[tuple[str, Path]]:
    for folder, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name != CACHE]
        for name in files:
            path = Path(folder) / name
            yield path.relative_to(package).as_posix(), path


def _same(one: Path, other: Path) -> bool:
    return one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()


def _place(folder: Path, file: str) -> Path:
    place = folder / PACKAGE / file
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _link(folder: Path, file: str, target: Path) -> None:
    _place(folder, file).symlink_to(target.absolute())


def _link_compiled(folder: Path, file: str, source: Path) -> None:
    """Byte code of a file that is the same: compiling the engine anew would take longer than the run."""
    for compiled in source.parent.glob(f"{CACHE}/{source.stem}.*.pyc"):
        _link(folder, f"{Path(file).parent.as_posix()}/{CACHE}/{compiled.name}", compiled)


def _alias(folder: Path, installed: Package) -> None:
    """A build for one device may be distributed under another name; the tree's own files ask for the plain one."""
    if installed.distribution not in ("", PACKAGE):
        local = installed.distribution.removeprefix(f"{PACKAGE}-")
        metadata = folder / f"{PACKAGE}-{installed.version}+{local}.dist-info" / "METADATA"
        metadata.parent.mkdir()
        metadata.write_text(f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {installed.version}+{local}\n")
