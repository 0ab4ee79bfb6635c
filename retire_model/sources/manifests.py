"""What a cached release must look like, to notice cheaply that it no longer does."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from analyzer.source.regular_files import read_regular_file
from retire_model.sources.tree_digest import tree_digest

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Manifest:
    """The size of an unpacked release, and the archive that it came from."""

    archive: str
    sha256: str
    files: int
    bytes: int
    content: str | None = None
    """The digest of the unpacked files; manifests of earlier versions of this tool have none."""

    def describes(self, folder: Path, since: int) -> bool:
        """Whether `folder` holds what was unpacked, which was done by the time `since` in nanoseconds.

        As many files and bytes; their contents are read only where one of them was written later.
        """
        found = measure(folder)
        if (found.files, found.bytes) != (self.files, self.bytes):
            return False
        if found.newest <= since or self.content is None:
            return True
        try:
            return tree_digest(folder) == self.content
        except OSError:
            return False


class Measure(NamedTuple):
    """What a look at a folder tells without reading its files."""

    files: int
    bytes: int
    newest: int
    """When one of the files was last written, in nanoseconds."""


def measure(folder: Path) -> Measure:
    """How many files lie below `folder`, with how many bytes, and how new they are. Nothing, for no folder."""
    files = size = newest = 0
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        files += 1
                        status = entry.stat(follow_symlinks=False)
                        size += status.st_size
                        newest = max(newest, status.st_mtime_ns)
        except OSError:
            return Measure(0, 0, 0)
    return Measure(files, size, newest)


def make_manifest(archive: Path, folder: Path) -> Manifest:
    """The manifest of `folder`, unpacked from `archive`."""
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    found = measure(folder)
    return Manifest(archive.name, digest, found.files, found.bytes, tree_digest(folder))


def write_manifest(manifest: Manifest, file: Path) -> None:
    """Write `manifest` as JSON."""
    file.write_text(json.dumps(asdict(manifest), indent=1) + "\n", encoding="utf-8")


def read_manifest(file: Path) -> Manifest | None:
    """The manifest in `file`. None where there is no readable one."""
    try:
        return Manifest(**json.loads(read_regular_file(file)))
    except (OSError, ValueError, TypeError):
        return None
