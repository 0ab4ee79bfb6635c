"""A lock between processes."""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def exclusive_lock(file: Path) -> Iterator[None]:
    """Hold `file`, made where it is missing, alone on this machine; the end of the process lets go of it.

    Waits for another holder. Raises `OSError` where the file cannot be made or locked.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
