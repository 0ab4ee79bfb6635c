"""Cores are shared out among cases."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from retire_model.prove import attempts
from retire_model.prove.attempts import NoReport
from retire_model.prove.local import LocalWorkers, fitting_jobs, shares
from tests.retire_model.prove.fake import PROGRAM, case, is_alive, process_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_shares() -> None:
    assert shares([0, 1, 2, 3, 4], 2) == [[0, 2, 4], [1, 3]]
    assert shares([0, 1], 3) == [[0], [1], [0]]
    assert shares([5], 1) == [[5]]


def test_jobs() -> None:
    cores = len(os.sched_getaffinity(0))
    assert fitting_jobs(1) == cores
    assert fitting_jobs(cores + 1) == 1


def test_at_the_end_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "PROGRAM", PROGRAM)
    (tmp_path / "ToyForCausalLM").write_text("hangs")
    with LocalWorkers(1, tmp_path / "logs", 60) as workers:
        running, waiting = workers.begin(case(folder=tmp_path)), workers.begin(case("Other", tmp_path))
        process = process_of(tmp_path, "ToyForCausalLM")
    assert running.result().ending == NoReport("interrupted")
    assert waiting.cancelled()
    assert not is_alive(process)
