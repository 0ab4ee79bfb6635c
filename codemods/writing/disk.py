"""Every call that changes the disk, and nothing else: the one place where a test lets the disk fail."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Result = TypeVar("Result")

NO_DIRECTORY_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EBADF})
"""What file systems answer that cannot sync a folder and need not."""
NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV, errno.EACCES})
"""What file systems answer that have no hard links, or kernels that protect other users' files from them."""


class Disk:
    """Changes files durably. Every method raises `OSError` as the system does."""

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Do one system call."""
        return function(*arguments)

    def write(
        self, path: Path, data: bytes, like: os.stat_result | None = None, permissions: int | None = None
    ) -> None:
        """Create `path`, which must not exist, with the mode and where possible the owner of `like`; synced."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = self.call(os.open, path, flags, 0o666 if like is None and permissions is None else 0o600)
        try:
            left = memoryview(data)
            while left:
                left = left[self.call(os.write, descriptor, left) :]
            if like is not None:
                self._own_like(descriptor, like)
            elif permissions is not None:
                self.call(os.fchmod, descriptor, permissions)
            self.call(os.fsync, descriptor)
        finally:
            os.close(descriptor)

    def _own_like(self, descriptor: int, like: os.stat_result) -> None:
        made = os.fstat(descriptor)
        if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
            # Only root gives files away, and the content matters more than the owner.
            with suppress(PermissionError):
                self.call(os.fchown, descriptor, like.st_uid, like.st_gid)
        self.call(os.fchmod, descriptor, like.st_mode & 0o7777)

    def keep(self, path: Path, backup: Path) -> None:
        """Give the file at `path` a second name, or where that cannot be, copy it."""
        try:
            self.call(os.link, path, backup)
        except OSError as error:
            if error.errno not in NO_HARD_LINKS:
                raise
            self.write(backup, path.read_bytes(), path.stat())

    def replace(self, source: Path, target: Path) -> None:
        """Rename, replacing what is there."""
        self.call(os.replace, source, target)

    def remove(self, path: Path) -> None:
        """Take a file away; one that is gone already is no matter."""
        with suppress(FileNotFoundError):
            self.call(os.unlink, path)

    def make_folder(self, path: Path) -> None:
        """Make a folder; one that is there already is no matter."""
        with suppress(FileExistsError):
            self.call(os.mkdir, path)

    def remove_folder(self, path: Path) -> None:
        """Take an empty folder away; one that is not empty or gone already stays as it is."""
        try:
            self.call(os.rmdir, path)
        except OSError as error:
            if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT}:
                raise

    def sync_folder(self, path: Path) -> None:
        """Make the names in the folder `path` durable, on file systems that can."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.call(os.fsync, descriptor)
        except OSError as error:
            if error.errno not in NO_DIRECTORY_SYNC:
                raise
        finally:
            os.close(descriptor)
