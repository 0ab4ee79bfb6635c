"""Writes a file of the tool's own whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from codemods.writing.disk import Disk

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """Write `text` to `file` in place of what is there, with its mode; a link is replaced, not followed.

    Raises `OSError`; then `file` is as it was.
    """
    disk, beside = Disk(), file.with_name(f".retire-model.{os.getpid()}")
    try:
        disk.write(beside, text.encode(), file.stat() if file.is_file() and not file.is_symlink() else None)
        disk.replace(beside, file)
    except BaseException:
        disk.remove(beside)
        raise
    disk.sync_folder(file.parent)
