"""Runs cases on the cores of this machine."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING

from retire_model.prove.attempts import Attempt, attempt

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retire_model.prove.cases import Case


class LocalWorkers:
    """So many cases at a time, each on cores of its own. Use it as a context: at its end nothing runs any more."""

    def __init__(self, jobs: int, logs: Path, seconds: int) -> None:
        self._logs = logs
        self._seconds = seconds
        self._stop = threading.Event()
        self._shares: SimpleQueue[Sequence[int]] = SimpleQueue()
        for share in shares(sorted(os.sched_getaffinity(0)), jobs):
            self._shares.put(share)
        self._pool = ThreadPoolExecutor(jobs)

    def __enter__(self) -> LocalWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def begin(self, case: Case) -> Future[Attempt]:
        """Run it as soon as there is room."""
        return self._pool.submit(self._run, case)

    def _run(self, case: Case) -> Attempt:
        cores = self._shares.get()
        try:
            return attempt(case.arguments, self._logs / case.key, self._seconds, cores, self._stop)
        finally:
            self._shares.put(cores)


def fitting_jobs(workers: int) -> int:
    """How many cases that ask for so many cores fit on this machine at a time."""
    return max(len(os.sched_getaffinity(0)) // workers, 1)


def shares(cores: Sequence[int], jobs: int) -> list[Sequence[int]]:
    """The cores of each of several cases at a time; with more cases than cores some share one."""
    return [cores[job % len(cores) :: jobs] or [cores[job % len(cores)]] for job in range(jobs)]
