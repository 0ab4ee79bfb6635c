"""Keeps what was found of a tree under a name made of all contents that it was found in.

A file that differs anywhere gives another name, so what is kept is never out of date; the folder may be deleted.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from analyzer.source.source_scan import python_files
from rules.assessment import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.release.hugging_face import HuggingFaceSource

_OURS = ("analyzer", "rules", "retire_model.survey")
"""The packages whose code decides what is found."""
MOST_KEPT = 12
"""Surveys; one takes about a megabyte."""


def content_name(engine: EngineTree, sources: Sequence[HuggingFaceSource]) -> str:
    """A name for the contents of these trees and for this version of the tool. Raises `UnreadableSource`."""
    digest = hashlib.blake2b(digest_size=20)
    digest.update(sys.version.encode())
    for package in _OURS:
        folder = Path(__file__).parents[2] / package.replace(".", "/")
        _add(digest, package, python_files(folder))
    _add(digest, PACKAGE, python_files(engine.root / PACKAGE))
    if engine.files.exists(TEST_REGISTRY_FILE):
        _add(digest, TEST_REGISTRY_FILE, [("", engine.files.read(TEST_REGISTRY_FILE))])
    for source in sources:
        _add(digest, f"transformers {source.label}", python_files(source.files.root / "transformers"))
    return digest.hexdigest()


def _add(digest: hashlib.blake2b, what: str, files: Iterable[tuple[str, bytes]]) -> None:
    each = sorted((file, hashlib.blake2b(data, digest_size=20).hexdigest()) for file, data in files)
    digest.update(repr((what, each)).encode())


def find_kept(folder: Path, name: str) -> Any | None:
    """What is kept under `name`; None where nothing is, or nothing that can be read."""
    try:
        with (folder / name).open("rb") as file:
            found = _Reader(file).load()
        os.utime(folder / name)
    except Exception:
        # Whatever is wrong with it, it is found anew.
        return None
    return found


def keep(folder: Path, name: str, found: object) -> None:
    """Keep `found` under `name`, all or nothing, and drop what was not asked for longest. A full disk is no error."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        beside = folder / f"{name}.{os.getpid()}"
        beside.write_bytes(pickle.dumps(found))
        beside.replace(folder / name)
        for old in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)[MOST_KEPT:]:
            old.unlink(missing_ok=True)
    except OSError:
        return


class _Reader(pickle.Unpickler):
    """Makes nothing but the tool's own facts: a file that somebody else put there runs no code."""

    def find_class(self, module: str, name: str) -> type:
        """Raises `pickle.UnpicklingError` for anything else."""
        found = super().find_class(module, name) if module.split(".")[0] in _packages() else None
        if isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum)):
            return found
        raise pickle.UnpicklingError(f"{module}.{name}")


def _packages() -> Iterator[str]:
    return (package.split(".")[0] for package in _OURS)
