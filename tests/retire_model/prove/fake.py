"""A stand-in for the smoke run: what it does is written in a file for each case, below the folder of a test."""

from __future__ import annotations

import time
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retire_model.prove import attempts, on_ray
from retire_model.prove.attempts import Attempt, Ending, Reported
from retire_model.prove.cases import Case

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

VERSIONS = {"vLLM": "9.0.0", "torch": "2.0", "Transformers": "5.0.0"}
PROGRAM = f"""
import json, os, pathlib, signal, sys, threading, time
root, cores, kind, name, *words = sys.argv[1:]
folder = pathlib.Path(words[words.index("--engine-python") + 1]).parent
what = (folder / name).read_text().split() if (folder / name).exists() else ["passed"]
with (folder / "calls").open("a") as calls:
    calls.write(name + "\\n")
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(130)), daemon=True).start()
outcome = what[0] if len((folder / "calls").read_text().split(name + "\\n")) == 2 else what[-1]
(folder / f"{{name}}.pid").write_text(str(os.getpid()))
if outcome == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if outcome == "hangs":
    time.sleep(600)
if outcome == "refuses":
    sys.stderr.write("retire-model: no checkpoint can be made\\n  Its log is there.\\n")
    sys.exit(2)
check = {{"name": "loads", "outcome": outcome.replace("-", " "), "said": "said of it", "difference": None,
          "explanations": [], "logs": []}}
report = {{"architecture": name, "runner": "vllm", "emulation": False, "versions": {VERSIONS!r},
           "device": {{"kind": "cpu", "name": "made up"}}, "dtype": "float32", "tolerance": 0.001, "before": "b",
           "after": "a", "not_laid_over": [], "checks": [check], "measurements": [], "logs": "/l", "seconds": 1.0}}
print(json.dumps({{"version": 1, "exit_status": 0, "models": [report]}}))
"""


def case(name: str = "ToyForCausalLM", folder: Path = Path("/nowhere"), *, ranks: int = 1) -> Case:
    """A case of the stand-in, whose files lie in `folder`."""
    return Case(name, "5.0.0", ranks, ("smoke", name, "--engine-python", f"{folder}/python"), ranks, f"{name}-{ranks}")


def ended(ending: Ending) -> Attempt:
    return Attempt(ending, 1.5, "here")


def reported(*outcomes: str, versions: dict[str, str] | None = None) -> Reported:
    checks = [{"name": f"check {n}", "outcome": outcome, "said": f"said {n}"} for n, outcome in enumerate(outcomes)]
    return Reported({"checks": checks, "versions": versions or VERSIONS})


class Workers:
    """Hands out endings that were written down before, in this process."""

    def __init__(self, endings: dict[str, list[Ending]]) -> None:
        self.endings = endings

    def begin(self, case: Case) -> Future[Attempt]:
        future: Future[Attempt] = Future()
        future.set_result(ended(self.endings[case.architecture].pop(0)))
        return future


def attempt_there(*arguments: Any) -> Attempt:
    """The task of a cluster's worker, with the stand-in for the smoke run."""
    attempts.PROGRAM = PROGRAM
    return on_ray.attempt_there(*arguments)


def calls(folder: Path) -> Sequence[str]:
    """The cases that the stand-in was asked for."""
    return (folder / "calls").read_text().split()


def process_of(folder: Path, name: str) -> int:
    """The last process of the stand-in for a case; waits for it."""
    file = folder / f"{name}.pid"
    wait_for(lambda: file.exists() and file.read_text() != "")
    return int(file.read_text())


def is_alive(process: int) -> bool:
    """Whether it runs. One that is gone and not waited for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_for(there: Callable[[], bool]) -> None:
    """Fail where it does not come about in time."""
    until = time.monotonic() + 60
    while not there():
        assert time.monotonic() < until
        time.sleep(0.05)
