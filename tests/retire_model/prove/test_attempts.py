"""One smoke run in a process of its own: how it ends, and that nothing is left of it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from retire_model.prove import attempts
from retire_model.prove.attempts import Ending, NoReport, Reported, attempt
from tests.retire_model.prove.fake import PROGRAM, case, is_alive, process_of, wait_for

if TYPE_CHECKING:
    from pathlib import Path

CORES = tuple(os.sched_getaffinity(0))[:1]


def ending(folder: Path, what: str, seconds: int = 60) -> Ending:
    (folder / "ToyForCausalLM").write_text(what)
    return attempt(case(folder=folder).arguments, folder / "logs", seconds, CORES).ending


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "PROGRAM", PROGRAM)


def test_a_report(tmp_path: Path) -> None:
    found = ending(tmp_path, "failed")
    assert isinstance(found, Reported)
    assert found.report["checks"][0]["outcome"] == "failed"


def test_no_report(tmp_path: Path) -> None:
    assert ending(tmp_path, "killed") == NoReport("ended by SIGKILL")
    refused = NoReport("exit status 2: no checkpoint can be made Its log is there.")
    assert ending(tmp_path, "refuses") == refused


def test_too_long(tmp_path: Path) -> None:
    assert ending(tmp_path, "hangs", seconds=1) == NoReport("not done within 1 seconds", again=False)
    assert not is_alive(process_of(tmp_path, "ToyForCausalLM"))


def test_stopped(tmp_path: Path) -> None:
    (tmp_path / "ToyForCausalLM").write_text("hangs")
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    assert attempt(case(folder=tmp_path).arguments, tmp_path / "logs", 60, CORES, stop).ending == NoReport(
        "interrupted"
    )


def test_the_real_command_is_run_and_its_logs_are_kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that is none: the smoke run refuses it before it makes anything."""
    monkeypatch.undo()
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "old.log").touch()
    found = attempt(("smoke", "toy", "--engine-python", "/no/python"), logs, 60, CORES).ending
    assert isinstance(found, NoReport)
    assert found.reason.startswith("exit status 2: there is no program /no/python")
    assert not (logs / "old.log").exists()


def test_it_ends_with_what_started_it(tmp_path: Path) -> None:
    """A killed parent lets go of the standard input, and the smoke run ends in order."""
    engine = tmp_path / "python"
    engine.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 50\n")
    engine.chmod(0o700)
    words = f"('smoke', 'toy', '--engine-python', {str(engine)!r})"
    program = (
        f"import pathlib; from retire_model.prove.attempts import attempt; attempt({words}, pathlib.Path('l'), 60, ())"
    )
    environment = {**os.environ, "PYTHONPATH": str(attempts.ROOT)}
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, env=environment)
    wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().endswith("\n"))
    parent.kill()
    parent.wait()
    wait_for(lambda: not is_alive(int((tmp_path / "pid").read_text())))
