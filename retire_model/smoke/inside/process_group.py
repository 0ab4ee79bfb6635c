"""Ends a process group so that nothing of it is left: no process, no shared memory. Linux and the standard library."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED_MEMORY = "/dev/shm/"  # noqa: S108 - looked at, not written to
TRACKER = b"multiprocessing.resource_tracker"
GRACE = 5.0
"""Seconds that Python's own trackers of shared memory get to clear away what the others left."""
PR_SET_PDEATHSIG = 1


def end_group(group: int, seen: frozenset[str] = frozenset()) -> None:
    """Kill every process of `group`, and remove the shared memory that only they had.

    `seen` is what members had that may be gone by now.
    """
    mapped = seen | shared_memory(group)
    trackers = {process for process in members(group) if _is_tracker(process)}
    for process in set(members(group)) - trackers:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    until = time.monotonic() + GRACE
    while trackers & set(members(group)) and time.monotonic() < until:
        time.sleep(0.02)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    _wait_until_gone(group)
    for name in mapped - _mapped_by_others():
        with suppress(OSError):
            Path(name).unlink()


def members(group: int) -> list[int]:
    """The living processes of a group."""
    return [process for process, owner, state in _processes() if owner == group and state not in "ZX"]


def shared_memory(group: int) -> frozenset[str]:
    """The files of shared memory that the processes of a group have mapped."""
    return frozenset(name for process in members(group) for name in _shared_memory_of(process))


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent `parent` ends, however that comes."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _processes() -> Iterator[tuple[int, int, str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                state, _, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
                yield int(folder.name), int(group), state


def _is_tracker(process: int) -> bool:
    with suppress(OSError):
        return TRACKER in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


def _shared_memory_of(process: int) -> set[str]:
    with suppress(OSError):
        lines = Path(f"/proc/{process}/maps").read_text(errors="replace").splitlines()
        fields = (line.split(maxsplit=5) for line in lines)
        return {found[5] for found in fields if len(found) == 6 and found[5].startswith(SHARED_MEMORY)}
    return set()


def _mapped_by_others() -> set[str]:
    return {name for process, _, _ in _processes() for name in _shared_memory_of(process)}


def _wait_until_gone(group: int) -> None:
    until = time.monotonic() + GRACE
    while members(group) and time.monotonic() < until:
        time.sleep(0.02)
