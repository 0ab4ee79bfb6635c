"""Runs cases on a Ray cluster: each is a task that asks for its CPUs or GPUs."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem
from retire_model.prove.attempts import Attempt, NoReport, attempt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.prove.cases import Case

CONNECT_SECONDS = 30
"""Ray itself waits for minutes for a cluster that is not there."""
_CONNECT = "import sys, ray; ray.init(sys.argv[1], log_to_driver=False, logging_level='error')"
NOT_INSTALLED = "No module named 'retire_model'"
CACHE = "RETIRE_MODEL_CACHE"


class RayWorkers:
    """A cluster. Use it as a context: at its end it is left, and what was still running there ends."""

    def __init__(self, address: str, logs: Path, seconds: int, cases: Sequence[Case], *, for_gpus: bool) -> None:
        """Join the cluster at `address`; `for_gpus` has the cases ask for its GPUs, where it has any.

        Raises `EnvironmentProblem` where that cannot be done, or a case has no room on any machine.
        """
        self._ray = _imported()
        _refuse_unreachable(address)
        environment = {CACHE: os.environ[CACHE]} if CACHE in os.environ else {}
        self._ray.init(address, log_to_driver=False, logging_level="error", runtime_env={"env_vars": environment})
        self._logs = logs
        self._seconds = seconds
        self._machines = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        self._on_gpus = for_gpus and any("GPU" in machine for machine in self._machines)
        self._task = self._ray.remote(max_retries=0)(attempt_there)
        try:
            self._refuse_too_large(max(cases, key=lambda case: case.workers))
        except EnvironmentProblem:
            self._ray.shutdown()
            raise

    def __enter__(self) -> RayWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        # What a task has started ends when its worker does.
        self._ray.shutdown()

    def begin(self, case: Case) -> Future[Attempt]:
        """Run it as soon as there is room."""
        there = self._task.options(name=case.told, **self._asked(case)).remote(
            case.arguments, str(self._logs / case.key), self._seconds, case.workers
        )
        future: Future[Attempt] = Future()
        there.future().add_done_callback(lambda done: future.set_result(self._ended(done)))
        return future

    def _refuse_too_large(self, case: Case) -> None:
        asked = "GPU" if self._on_gpus else "CPU"
        if case.workers > max((machine.get(asked, 0) for machine in self._machines), default=0):
            raise EnvironmentProblem(
                f"{case.told} asks for {case.workers} {asked}s, and no machine of the cluster has so many",
                "Ask for fewer ranks and stages (--tensor-parallel, --pipeline-parallel), or add a machine.",
            )

    def _asked(self, case: Case) -> dict[str, int]:
        return {"num_cpus": 1, "num_gpus": case.workers} if self._on_gpus else {"num_cpus": case.workers, "num_gpus": 0}

    def _ended(self, done: Future[Attempt]) -> Attempt:
        error = done.exception()
        if error is None:
            return done.result()
        # A task's own error comes again, the loss of a worker or a machine need not.
        again = not isinstance(error, self._ray.exceptions.RayTaskError)
        lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        reason = lines[0] if again else lines[-1]
        if NOT_INSTALLED in reason:
            reason = f"{reason}: pip install 'retire-model[ray]' on the machines of the cluster"
        return Attempt(NoReport(reason, again), 0.0, "")


def attempt_there(arguments: tuple[str, ...], logs: str, seconds: int, workers: int) -> Attempt:
    """A task: one attempt. The cluster counts cores and does not name them, so that some are taken by lot."""
    cores = sorted(os.sched_getaffinity(0))
    return attempt(arguments, Path(logs), seconds, random.sample(cores, min(workers, len(cores))))


def _imported() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise EnvironmentProblem("--ray: there is no Ray here", "pip install 'retire-model[ray]'") from error
    return ray


def _refuse_unreachable(address: str) -> None:
    """Raise `EnvironmentProblem` unless another process can join the cluster in time."""
    remedy = "Name a running cluster as HOST:PORT (`ray status` there), or `auto` for the one on this machine."
    try:
        run = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-P", "-c", _CONNECT, address],
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=CONNECT_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentProblem(f"no Ray cluster answers at {address} within {CONNECT_SECONDS} s", remedy) from error
    if run.returncode:
        lines = run.stderr.strip().splitlines() or [f"exit status {run.returncode}"]
        raise EnvironmentProblem(f"no Ray cluster at {address}: {lines[-1]}", remedy)
