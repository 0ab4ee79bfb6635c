"""The folder of a run goes at its end, and those of killed runs go when the next one begins."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem
from retire_model.smoke.run_folder import KEPT, LOCK, PREFIX, logs_folder, run_folder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_it_is_there_and_gone(temporary: Path) -> None:
    with run_folder() as folder:
        (folder / "file").write_text("")
        assert folder.parent == temporary
    assert not folder.exists()


def test_what_a_killed_run_left_is_cleared(temporary: Path) -> None:
    left = temporary / f"{PREFIX}dead"
    left.mkdir()
    (left / LOCK).write_text("")
    (temporary / f"{PREFIX}of-somebody-else").mkdir()
    with run_folder() as first, run_folder() as second:
        assert not left.exists()
        assert first.exists()
        assert second.exists()
    assert (temporary / f"{PREFIX}of-somebody-else").exists()


def test_no_room(monkeypatch: pytest.MonkeyPatch, temporary: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary / "missing"))
    with pytest.raises(EnvironmentProblem, match="cannot work in"), run_folder():
        pass


def test_logs_stay_and_the_oldest_go() -> None:
    folders = [logs_folder("toy", None) for _ in range(KEPT + 3)]
    assert folders[-1].name.rpartition("-")[0].endswith("-toy")
    assert sum(folder.exists() for folder in folders) == KEPT


def test_logs_where_they_are_wanted(tmp_path: Path) -> None:
    assert logs_folder("toy", tmp_path / "some" / "logs") == tmp_path / "some" / "logs"
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentProblem, match="cannot keep logs in"):
        logs_folder("toy", tmp_path / "file")


def test_a_folder_that_another_run_clears_away_at_once(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there, and nobody has its lock yet: for another run that looks like one that was killed."""
    made: list[Path] = []
    really = fcntl.flock

    def lock(descriptor: int, operation: int) -> None:
        if operation == fcntl.LOCK_EX and not made:
            made.append(next(temporary.glob(f"{PREFIX}*")))
            shutil.rmtree(made[0])
        really(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", lock)
    with run_folder() as folder:
        assert folder.exists()
        assert folder != made[0]
