"""What a cached release must look like, to notice cheaply that it no longer does."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from analyzer.source.regular_files import read_regular_file

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Manifest:
    """The size of an unpacked release, and the archive that it came from."""

    archive: str
    sha256: str
    files: int
    bytes: int

    def describes(self, folder: Path) -> bool:
        """Whether `folder` holds as many files and bytes as were unpacked."""
        return measure(folder) == (self.files, self.bytes)


def measure(folder: Path) -> tuple[int, int]:
    """How many files lie below `folder`, and how many bytes they have together. Nothing, for no folder."""
    files = size = 0
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        files += 1
                        size += entry.stat(follow_symlinks=False).st_size
        except OSError:
            return 0, 0
    return files, size


def make_manifest(archive: Path, folder: Path) -> Manifest:
    """The manifest of `folder`, unpacked from `archive`."""
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    files, size = measure(folder)
    return Manifest(archive.name, digest, files, size)


def write_manifest(manifest: Manifest, file: Path) -> None:
    """Write `manifest` as JSON."""
    file.write_text(json.dumps(asdict(manifest), indent=1) + "\n", encoding="utf-8")


def read_manifest(file: Path) -> Manifest | None:
    """The manifest in `file`. None where there is no readable one."""
    try:
        return Manifest(**json.loads(read_regular_file(file)))
    except (OSError, ValueError, TypeError):
        return None
