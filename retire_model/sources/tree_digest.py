"""One number for all that a folder holds, to notice later that something was changed in it."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

OF_PYTHON = "__pycache__"
"""What running the code leaves is nobody's work."""


def tree_digest(folder: Path, instead: Mapping[str, bytes | None] | None = None) -> str:
    """The digest of the names and contents of all files below `folder`. Raises `OSError`.

    The files that `instead` names count with its contents, or where that is None as gone.
    """
    other = instead or {}
    names = ((os.path.relpath(entry.path, folder), entry) for entry in _files(os.fspath(folder)))
    digests = [(name, _digest_of(entry)) for name, entry in names if name not in other]
    digests += [(name, hashlib.sha256(data).hexdigest()) for name, data in other.items() if data is not None]
    return hashlib.sha256(repr(sorted(digests)).encode("utf-8", "surrogateescape")).hexdigest()


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    yield entry
                elif entry.name != OF_PYTHON:
                    waiting.append(entry.path)


def _digest_of(entry: os.DirEntry[str]) -> str:
    if entry.is_file(follow_symlinks=False):
        with open(entry.path, "rb", buffering=0) as file:  # noqa: PTH123 - thousands of files, twice as fast
            return hashlib.file_digest(file, "sha256").hexdigest()
    return f"to {os.readlink(entry.path)}" if entry.is_symlink() else "neither a file nor a link"  # noqa: PTH115
