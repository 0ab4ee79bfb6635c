"""Runs in processes of their own: whatever becomes of them, the next one works and nothing is left. No torch needed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import retire_model
from analyzer.errors import EnvironmentProblem
from retire_model.smoke import keeper
from retire_model.smoke.inside.process_group import members
from retire_model.smoke.keeper import Keeper
from retire_model.smoke.outcomes import Broke, CutOff, Ran, RunOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(retire_model.__file__).parent
WORK = """
import os, signal, subprocess, sys, time

def work(job, tell):
    tell({"pid": os.getpid()})
    exec(job["body"])
"""


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    """A keeper whose jobs run what the test says."""
    package = tmp_path / "retire_model"
    shutil.copytree(PACKAGE / "smoke/inside", package / "smoke/inside")
    for file in ("by_path.py", "__init__.py", "smoke/__init__.py"):
        shutil.copy(PACKAGE / file, package / file)
    (package / "smoke/inside/script.py").write_text(WORK)
    (tmp_path / "logs").mkdir()
    monkeypatch.setattr(keeper, "BY_PATH", package / "by_path.py")
    with Keeper(Path(sys.executable), (), {"TMPDIR": str(tmp_path)}, tmp_path / "logs", "test") as made:
        yield made


def run(one: Keeper, body: str, seconds: int = 60) -> RunOutcome:
    return one.run({"kind": "script", "body": body, "environment": {"ASKED": "yes"}}, "run", seconds)


def test_a_run(one: Keeper) -> None:
    outcome = run(one, "tell({'asked': os.environ['ASKED']}); print('said')")
    assert isinstance(outcome, Ran)
    assert outcome.told["asked"] == "yes"
    assert "said" in outcome.log.read_text()


@pytest.mark.parametrize(
    ("body", "kind", "told"),
    [
        ("raise ValueError('no such layer')", Broke, "ValueError: no such layer (<string>:2)"),
        ("os._exit(3)", Broke, "ended without a word ({'status': 3})"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", Broke, "ended by SIGSEGV"),
        ("time.sleep(600)", Broke, "no answer within 2 seconds"),
        ("os.kill(os.getpid(), signal.SIGKILL)", CutOff, "was killed"),
        ("os.kill(os.getppid(), signal.SIGKILL); time.sleep(600)", CutOff, "was killed"),
        ("raise OSError(28, os.strerror(28))", CutOff, "No space left on device"),
        ("print('Worker proc VllmWorker-0 died unexpectedly'); raise SystemExit", CutOff, "a worker of it was killed"),
        ("raise Exception('WorkerProc initialization failed, see stack trace')", CutOff, "a worker of it was killed"),
        ("print('Worker died unexpectedly. Fatal Python error: Aborted'); raise SystemExit", Broke, "SystemExit"),
    ],
)
def test_after_a_run_that_ends_badly_the_next_one_works(
    one: Keeper, body: str, kind: type[Broke | CutOff], told: str
) -> None:
    child = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    outcome = run(one, child + body, seconds=2)
    assert isinstance(outcome, kind)
    assert told in (outcome.error if isinstance(outcome, Broke) else outcome.reason)
    again = run(one, "tell({'fine': True})")
    assert isinstance(again, Ran)
    assert again.told["fine"]


def test_nothing_is_left_of_a_run_over_its_time(one: Keeper) -> None:
    body = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\ntime.sleep(600)"
    outcome = run(one, body, seconds=1)
    assert isinstance(outcome, Broke)
    assert members(outcome.told["pid"]) == []


def test_a_log_of_an_earlier_command_tells_nothing(one: Keeper) -> None:
    run(one, "raise ValueError('earlier')")
    outcome = run(one, "os._exit(3)")
    assert isinstance(outcome, Broke)
    assert "earlier" not in outcome.error


def test_what_came_before_a_failure_is_kept(one: Keeper) -> None:
    outcome = run(one, "tell({'loaded': 3})\nraise ValueError('later')")
    assert isinstance(outcome, Broke)
    assert outcome.told["loaded"] == 3


def test_a_worker_that_fails_while_the_run_waits_for_ever(one: Keeper, tmp_path: Path) -> None:
    inside = tmp_path / "retire_model/smoke/inside/keeper.py"
    inside.write_text(inside.read_text().replace("GRACE = 15.0", "GRACE = 0.5"))
    log = "(Worker_TP0 pid=1) ERROR 12-01 00:00:00 [x.py:1] Traceback (most recent call last):"
    error = "(Worker_TP0 pid=1) ERROR 12-01 00:00:00 [x.py:1] RuntimeError: no such shape"
    outcome = run(one, f"print({log!r}); print({error!r}, flush=True); time.sleep(600)", seconds=300)
    assert isinstance(outcome, Broke)
    assert "RuntimeError: no such shape" in outcome.error


def test_a_python_that_cannot_import_the_engine(one: Keeper, tmp_path: Path) -> None:
    with (
        Keeper(one.program, ("no_such_engine",), one.environment, tmp_path / "logs", "other") as other,
        pytest.raises(EnvironmentProblem, match="cannot import no_such_engine"),
    ):
        run(other, "")


PARENT = """
import sys
from pathlib import Path
from retire_model.smoke import keeper
keeper.BY_PATH = Path({by_path!r})
with keeper.Keeper(Path(sys.executable), (), {{"TMPDIR": {folder!r}}}, Path({folder!r}), "test") as one:
    body = "Path = __import__('pathlib').Path; Path({pid!r}).write_text(str(os.getpid())); time.sleep(600)"
    one.run({{"kind": "script", "body": body, "environment": {{}}}}, "run", 600)
"""


@pytest.mark.usefixtures("one")
def test_when_the_parent_is_killed_its_runs_end(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = PARENT.format(by_path=str(keeper.BY_PATH), folder=str(tmp_path), pid=str(pid))
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=PACKAGE.parent)
    until = time.monotonic() + 60
    while not (pid.exists() and pid.read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    group = int(pid.read_text())
    assert members(group)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    while members(group) and time.monotonic() < until:
        time.sleep(0.05)
    assert members(group) == []
