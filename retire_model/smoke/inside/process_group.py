"""Ends processes so that nothing of them is left: no process, no shared memory. Linux and the standard library."""

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
LIST = "shared-memory"
"""The file with the shared memory that a run was seen to have, in the folder that its processes stand in."""


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
    _remove(mapped)


def end_all_in(folder: Path) -> None:
    """Kill what stands in `folder`, of whatever group, and remove its shared memory.

    Those who should have done so may have been killed as well.
    """
    memory = _listed(folder)
    until = time.monotonic() + GRACE
    while (left := _standing_in(folder)) and time.monotonic() < until:
        for process in left:
            memory |= _shared_memory_of(process)
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.02)
    _remove(memory)


def list_shared_memory(names: frozenset[str]) -> None:
    """Put down what a run has, for `end_all_in`."""
    # On a full disk the run itself will say so.
    with suppress(OSError), Path(LIST).open("a") as file:
        file.writelines(f"{name}\n" for name in names)


def members(group: int) -> list[int]:
    """The living processes of a group."""
    return [process for process, owner, state in _processes() if owner == group and state not in "ZX"]


def shared_memory(group: int) -> frozenset[str]:
    """The files of shared memory that the processes of a group have mapped."""
    return frozenset(name for process in members(group) for name in _shared_memory_of(process))


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent `parent` ends, however that comes."""
    _at_death_of_parent(signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def outlive_parent() -> None:
    """The opposite."""
    _at_death_of_parent(0)


def _at_death_of_parent(number: int) -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


def _processes() -> Iterator[tuple[int, int, str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                state, _, group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
                yield int(folder.name), int(group), state


def _standing_in(folder: Path) -> list[int]:
    """The living processes in it that have no terminal: a shell there is the user's."""
    return [p for p, _, state in _processes() if state not in "ZX" and _stands_in(folder.resolve(), p)]


def _stands_in(folder: Path, process: int) -> bool:
    with suppress(OSError, ValueError, IndexError):
        terminal = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[4])
        return not terminal and Path(f"/proc/{process}/cwd").readlink().is_relative_to(folder)
    return False


def _listed(folder: Path) -> set[str]:
    with suppress(OSError):
        names = (folder / LIST).read_text(errors="replace").splitlines()
        return {name for name in names if Path(name).parent == Path(SHARED_MEMORY)}
    return set()


def _remove(memory: set[str] | frozenset[str]) -> None:
    """Remove shared memory that nobody has any more."""
    for name in memory - _mapped_by_others() if memory else ():
        with suppress(OSError):
            Path(name).unlink()


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
