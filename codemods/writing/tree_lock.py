"""One run at a time on one tree."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from analyzer.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from codemods.writing.disk import Disk

LOCK = "lock"


@contextmanager
def locked(folder: Path, disk: Disk) -> Iterator[None]:
    """Hold the lock in `folder`, which is made for it and goes when it is empty again.

    Raises `Refused` where another run holds it or `folder` is a link, `OSError` where it cannot be made. A lock dies
    with its process.
    """
    import fcntl

    if folder.is_symlink():
        raise Refused(f"{folder} is a link", "Remove it: a lock is kept there.")
    disk.make_folder(folder)
    path = folder / LOCK
    try:
        descriptor = disk.call(os.open, path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        with suppress(OSError):
            disk.remove_folder(folder)
        raise
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A run that ends takes the file away: what was locked may be a file without a name.
            current = os.fstat(descriptor).st_ino == path.stat().st_ino
        except (BlockingIOError, FileNotFoundError):
            current = False
        if not current:
            raise Refused(f"another run is at work on this tree ({path})", "Wait for it to end.")
        try:
            yield
        finally:
            with suppress(OSError):
                disk.remove(path)
                disk.remove_folder(folder)
    finally:
        os.close(descriptor)
