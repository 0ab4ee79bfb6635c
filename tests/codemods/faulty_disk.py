"""A disk that fails, or a process that ends, at a chosen system call; and trees to compare byte for byte."""

from __future__ import annotations

import errno
import os
import signal
from typing import TYPE_CHECKING, TypeVar

from codemods.edits import ChangeSet, Creation, Deletion, Rewrite
from codemods.writing.disk import Disk
from tests.codemods.small_tree import write_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Result = TypeVar("Result")
Snapshot = dict[str, tuple[int, bytes] | str]


DIED = 77


def died(work: Callable[[], object]) -> bool:
    """Do `work` in a child process; whether a `DyingDisk` or `ShortDisk` ended it on the way."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (DIED, -signal.SIGKILL)


class CountingDisk(Disk):
    """Counts the calls that change the disk."""

    def __init__(self) -> None:
        self.calls = 0

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        self.calls += 1
        # What a sync does shows after a power cut alone, which no test here makes; it is slow.
        return function(*arguments) if function is not os.fsync else None  # type: ignore[return-value]


class FaultyDisk(CountingDisk):
    """Fails with `error` at the call `at` (from 1), or from there on."""

    def __init__(self, at: int, error: int = errno.EIO, *, for_good: bool = False) -> None:
        super().__init__()
        self.at, self.error, self.for_good = at, error, for_good

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        if self.calls + 1 == self.at or (self.for_good and self.calls + 1 > self.at):
            self.calls += 1
            raise OSError(self.error, os.strerror(self.error))
        return super().call(function, *arguments)


class InterruptedDisk(CountingDisk):
    """The user interrupts the run before or after the call `at`."""

    def __init__(self, at: int, *, after: bool) -> None:
        super().__init__()
        self.at, self.after = at, after

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        if self.calls + 1 == self.at and not self.after:
            self.calls += 1
            raise KeyboardInterrupt
        try:
            return super().call(function, *arguments)
        finally:
            if self.calls == self.at:
                raise KeyboardInterrupt


class DyingDisk(CountingDisk):
    """Ends the process before or after the call `at`, by itself or by a kill; a write may be cut in half first."""

    def __init__(self, at: int, *, after: bool, torn: bool = False, killed: bool = False) -> None:
        super().__init__()
        self.at, self.after, self.torn, self.killed = at, after, torn, killed

    def end(self) -> None:
        if self.killed:
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(DIED)

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        if self.calls + 1 == self.at and not self.after:
            if self.torn and function is os.write:
                descriptor, data = arguments
                os.write(descriptor, data[: len(data) // 2])  # type: ignore[arg-type,index]
            self.end()
        try:
            return super().call(function, *arguments)
        finally:
            if self.calls == self.at:
                self.end()


class ShortDisk(CountingDisk):
    """Takes at most 40 bytes in one write, as the system may; the process ends after the call `at`."""

    def __init__(self, at: int = 0) -> None:
        super().__init__()
        self.at = at

    def call(self, function: Callable[..., Result], *arguments: object) -> Result:
        if function is os.write:
            descriptor, data = arguments
            arguments = (descriptor, data[:40])  # type: ignore[index]
        result = super().call(function, *arguments)
        if self.calls == self.at:
            os._exit(DIED)
        return result


def tree_and_changes(folder: Path) -> tuple[Path, ChangeSet]:
    """Ten edits of every kind, in folders of their own."""
    root = folder / "tree"
    files = {f"a/file{number}.py": f"x = {number}\n".encode() * 50 for number in range(6)}
    files |= {"b/pkg/one.py": b"1\r\n", "b/pkg/two.py": b"\xff\xfe", "gone.py": b"gone", "other.py": b"stays"}
    write_tree(root, dict(files))
    (root / "a/file0.py").chmod(0o754)
    edits = [Rewrite(f"a/file{number}.py", files[f"a/file{number}.py"], b"new\n" * 99, ()) for number in range(6)]
    deletions = [Deletion(file, files[file], ()) for file in ("b/pkg/one.py", "b/pkg/two.py", "gone.py")]
    creations = [Creation("a/new.py", b"created", ()), Creation("c/d/new.py", b"created too", ())]
    return root, ChangeSet((*edits, *deletions, *creations))


def snapshot(root: Path) -> Snapshot:
    """All files and folders below `root`, with modes and bytes."""
    found: Snapshot = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        found[name] = "folder" if path.is_dir() else (path.stat().st_mode & 0o7777, path.read_bytes())
    return found
