"""Reads files that can be read to an end: a pipe may keep a reader waiting for ever, and a device never ends."""

from __future__ import annotations

import errno
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_FILE = 8 * 1024 * 1024
"""Bytes. The largest Python file of vLLM 0.33.0 and Transformers 5.24.0 is below 1 MiB."""


def read_regular_file(path: Path) -> bytes:
    """The bytes of the file at `path`. Raises `OSError`, also for what is no regular file or too large to be read."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if found.st_size > LARGEST_FILE:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST_FILE} bytes", str(path))
    return path.read_bytes()
