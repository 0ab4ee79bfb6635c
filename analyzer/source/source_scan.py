"""Finds the files of a tree that mention names, by their bytes alone: what is parsed later are few files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource
from analyzer.source.regular_files import LARGEST_FILE
from analyzer.source.source_tree import SKIPPED_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PYTHON = (".py",)
WITH_STUBS = (".py", ".pyi")
FEW = 12
"""Up to here one search for each name is quicker than taking all files apart into words, which names must be for it."""
BLANKS = bytes(c if chr(c).isalnum() or c == ord("_") or c > 127 else ord(" ") for c in range(256))


def files_mentioning(
    root: Path, names: frozenset[bytes], suffixes: tuple[str, ...] = PYTHON
) -> Iterator[tuple[str, bytes]]:
    """Each file below `root` that holds one of `names`, perhaps as a part of a longer word, and its bytes.

    Only Python files are looked at, or those with one of `suffixes`.

    Links are not followed. Raises `UnreadableSource` for a file that cannot be read.
    """
    few = len(names) <= FEW or not all(name.replace(b"_", b"").isalnum() for name in names)
    for file, data in _read(root, suffixes):
        if any(name in data for name in names) if few else not names.isdisjoint(words_of(data)):
            yield file, data


def python_files(root: Path) -> Iterator[tuple[str, bytes]]:
    """Each Python file and type stub below `root`, relative to it, and its bytes.

    Links are not followed. Raises `UnreadableSource` for a file that cannot be read.
    """
    return _read(root, WITH_STUBS)


def python_paths(root: Path) -> list[str]:
    """The same files without their bytes, in an order that does not depend on the disk."""
    above = len(str(root).rstrip(os.sep)) + 1
    return sorted(path[above:].replace(os.sep, "/") for path in _files(str(root), PYTHON))


def _read(root: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    above = len(str(root).rstrip(os.sep)) + 1
    for path in _files(str(root), suffixes):
        yield path[above:].replace(os.sep, "/"), read_bytes(path)


def read_bytes(path: str) -> bytes:
    """The bytes of a file. Raises `UnreadableSource`."""
    try:
        with open(path, "rb", buffering=0) as opened:  # noqa: PTH123 - thousands of files, twice as fast
            if os.fstat(opened.fileno()).st_size > LARGEST_FILE:
                raise UnreadableSource(f"{path} is larger than {LARGEST_FILE} bytes", "No Python source is.")
            return opened.read()
    except OSError as error:
        raise UnreadableSource(f"cannot read {path}: {error.strerror}", "Make it readable first.") from error


def words_of(data: bytes) -> set[bytes]:
    """The whole identifiers in `data`."""
    return set(data.translate(BLANKS).split())


def _files(folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in SKIPPED_FOLDERS:
                            waiting.append(entry.path)
                    elif entry.name.endswith(suffixes) and entry.is_file(follow_symlinks=False):
                        yield entry.path
        except OSError as error:
            raise UnreadableSource(f"cannot list {error.filename}: {error.strerror}", "Make it readable.") from error
