"""The keeper: imports once, then runs each job in a fork with a process group, a time limit and a log of its own.

Jobs come as lines of JSON on standard input, answers go as lines of JSON to the pipe that the request names. The end
of standard input means that nobody waits any more: the job under way is ended with all its processes.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from .process_group import die_with_parent, end_group, list_shared_memory, outlive_parent, shared_memory

WORKER_FAILED = b"Worker"
TRACEBACK = b"Traceback (most recent call last)"
BY_ITSELF: dict[str, Any] = {"itself": True}
INTERVAL = 0.5
LONGEST_LOG = 64 << 20
"""Bytes that a run may write to its log."""
AT_ONCE = 4 << 20
"""Bytes of a log that are looked at in one go."""
GRACE = 15.0
"""Seconds that the engine gets to say itself that a worker has failed; some releases wait for ever instead."""


def main(request: str) -> int:
    """Serve jobs until standard input ends; 1 where what they need cannot be imported."""
    wanted = json.loads(request)
    pipe = wanted["pipe"]
    os.set_inheritable(pipe, False)
    # An import cannot look at standard input, and may never end.
    die_with_parent(wanted["parent"])
    try:
        imported = _import(wanted["modules"])
        outlive_parent()
        send(pipe, {"ready": imported})
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        send(pipe, {"cannot_import": one_line(error), "missing": missing})
        return 1
    jobs = _Lines(sys.stdin.fileno())
    while (line := jobs.next_line()) is not None:
        if not _serve(json.loads(line), pipe, jobs):
            break
    return 0


def _import(modules: list[str]) -> list[str]:
    if modules:
        import torch

        # A fork cannot use the threads that its parent has started.
        torch.set_num_threads(1)
    for module in modules:
        import_module(module)
    return modules


def _serve(job: dict[str, Any], pipe: int, jobs: _Lines) -> bool:
    """Run one job and answer; False where standard input has ended meanwhile."""
    source, sink = os.pipe()
    keeper = os.getpid()
    process = os.fork()
    if process == 0:
        os.setsid()
        die_with_parent(keeper)
        os.close(source)
        # Who waits for answers is to see at once when the keeper is gone, whoever of the job is left.
        os.close(pipe)
        _work_and_leave(job, sink)
    os.close(sink)
    send(pipe, {"started": process})
    memory = _Memory(process)
    told, ended, wanted = _follow(job, source, memory, jobs)
    end_group(process, memory.seen)
    _, status = os.waitpid(process, 0)
    os.close(source)
    if ended == BY_ITSELF:
        ended = None if "done" in told or "error" in told else _end(status)
    send(pipe, {"answer": told, "ended": ended})
    return wanted


def _follow(
    job: dict[str, Any], source: int, memory: _Memory, jobs: _Lines
) -> tuple[dict[str, Any], dict[str, Any] | None, bool]:
    """What the job told until it ended, why it was ended early if it was, and whether anybody still waits."""
    told: dict[str, Any] = {}
    until, buffer = time.monotonic() + job["seconds"], b""
    log = _Log(Path(job["log"]))
    while True:
        # A worker of the job may hold the other end of the pipe when the job itself is gone.
        gone = _has_ended(memory.group)
        memory.look()
        ready, _, _ = select.select([source, jobs.descriptor], [], [], 0 if gone else 0.5)
        if jobs.descriptor in ready and jobs.has_ended():
            return told, {"abandoned": True}, False
        if source in ready:
            chunk = os.read(source, 1 << 16)
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                told |= json.loads(line)
            if "done" in told or "error" in told:
                return told, None, True
            if chunk:
                continue
        if gone:
            return told, BY_ITSELF, True
        if time.monotonic() > until:
            return told, {"seconds": job["seconds"]}, True
        if log.worker_failed(GRACE):
            return told, {"worker_failed": True}, True
        if log.is_too_long():
            return told, {"log": LONGEST_LOG}, True


def _has_ended(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    return True


def _work_and_leave(job: dict[str, Any], sink: int) -> None:
    """Runs in the fork, and ends it."""
    status = 1
    try:
        log = os.open(job["log"], os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for descriptor, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(descriptor, target)
        os.environ.update(job["environment"])
        work = import_module(f".{job['kind']}", __package__).work
        work(job, lambda told: send(sink, told))
        send(sink, {"done": True})
        status = 0
    except BaseException as error:
        import traceback

        with suppress(OSError, ValueError):
            traceback.print_exc()
        send(sink, {"error": one_line(error)})
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _end(status: int) -> dict[str, Any]:
    return {"signal": os.WTERMSIG(status)} if os.WIFSIGNALED(status) else {"status": os.waitstatus_to_exitcode(status)}


class _Lines:
    """The lines that arrive on a descriptor, read without Python's buffers: `select` has to see what is left."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._buffer = b""

    def next_line(self) -> bytes | None:
        """The next line; None at the end."""
        while b"\n" not in self._buffer:
            if self.has_ended():
                return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def has_ended(self) -> bool:
        """Read what is there, and say whether that was the end."""
        chunk = os.read(self.descriptor, 1 << 16)
        self._buffer += chunk
        return not chunk


class _Memory:
    """The shared memory that a job is seen to have: a worker that has died cannot be asked any more."""

    def __init__(self, group: int) -> None:
        self.group = group
        self.seen: frozenset[str] = frozenset()
        self._looked = 0.0

    def look(self) -> None:
        """Look again, unless that was just done."""
        if time.monotonic() > self._looked + INTERVAL:
            new = shared_memory(self.group) - self.seen
            if new:
                list_shared_memory(new)
            self.seen |= new
            self._looked = time.monotonic()


class _Log:
    """Watches a log for the traceback of a worker after which nothing comes any more."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0
        self._begun = b""
        self._failed_at: float | None = None

    def worker_failed(self, grace: float) -> bool:
        """Whether a worker has written a traceback and `grace` seconds have gone by."""
        if self._failed_at is None:
            lines = self._new_lines()
            if any(line.lstrip(b"\x1b[0;36m(").startswith(WORKER_FAILED) and TRACEBACK in line for line in lines):
                self._failed_at = time.monotonic()
        return self._failed_at is not None and time.monotonic() > self._failed_at + grace

    def is_too_long(self) -> bool:
        """Whether the run writes and writes."""
        with suppress(OSError):
            return self.path.stat().st_size > LONGEST_LOG
        return False

    def _new_lines(self) -> list[bytes]:
        """Those that have come since the last look; a line that goes on without an end is no line."""
        with suppress(OSError), self.path.open("rb") as file:
            file.seek(self._read)
            data = file.read(AT_ONCE)
            self._read += len(data)
            *lines, begun = (self._begun + data).split(b"\n")
            self._begun = begun[-AT_ONCE:]
            return lines
        return []


def send(pipe: int, content: dict[str, Any]) -> None:
    """Write one line of JSON."""
    left = memoryview(json.dumps(content).encode() + b"\n")
    while left:
        left = left[os.write(pipe, left) :]


def one_line(error: BaseException) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:600]
