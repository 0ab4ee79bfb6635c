"""Whatever fails or dies while a change set is taken back, the tree is as it was or as it became, and can go on."""

from __future__ import annotations

import errno
import shutil
from functools import partial
from typing import TYPE_CHECKING

import pytest

from codemods.writing import writer
from codemods.writing.disk import Disk
from retire_model.command import run
from retire_model.journal_key import journal_key
from retire_model.last_change import keep_last_change, last_change_of
from retire_model.sources.trees import mend_cut_off_run
from tests.codemods.faulty_disk import (
    CountingDisk,
    DyingDisk,
    FaultyDisk,
    Snapshot,
    died,
    snapshot,
    tree_and_changes,
)

if TYPE_CHECKING:
    from pathlib import Path


class Case:
    """A tree with a change set of eleven edits in place, which can be taken back."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, output: pytest.CaptureFixture[str]) -> None:
        self.patch, self.output = patch, output
        self.root, changes = tree_and_changes(folder)
        self.cache = folder / "cache"
        self.before = snapshot(self.root)
        assert len(changes.edits) >= 10
        key = journal_key(self.root)
        change = last_change_of(self.root, "toy", changes)
        writer.apply(self.root, changes, key)
        keep_last_change(self.root, key, change)
        self.after = snapshot(self.root)
        shutil.copytree(self.root, folder / "as-left")
        shutil.copytree(self.cache, folder / "cache-as-left")
        self.folder = folder
        disk = CountingDisk()
        assert self.undo(disk) == 0
        assert self.now() == self.before
        self.calls = disk.calls
        self.told: set[bool] = set()

    def reset(self) -> None:
        for place, left in ((self.root, "as-left"), (self.cache, "cache-as-left")):
            shutil.rmtree(place)
            shutil.copytree(self.folder / left, place)

    def undo(self, disk: Disk | None = None) -> int:
        with self.patch.context() as patch:
            if disk is not None:
                patch.setattr(Disk, "call", lambda _, *arguments: type(disk).call(disk, *arguments))
            return run(["undo", "--engine", str(self.root)])

    def now(self) -> Snapshot:
        return snapshot(self.root)

    def goes_on(self) -> bool:
        """Whether the next call finds the tree as it was; in any case that is what `undo` makes of it then."""
        self.output.readouterr()
        mend_cut_off_run(self.root)
        said = self.output.readouterr().err
        found = self.now()
        assert found in (self.before, self.after)
        if said:
            assert said.startswith("retire-model: an earlier run was cut off; its changes to ")
            assert ("are finished" if found == self.before else "are undone") in " ".join(said.split())
            self.told.add(found == self.before)
        status = self.undo()
        assert status == 0 or (status == 1 and found == self.before)
        assert self.now() == self.before
        assert self.undo() == 1
        return found == self.before


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Case:
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("codemods.writing.writer.uncommitted_files", lambda *_: ())
    return Case(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("killed", [False, True], ids=["exit", "kill"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_the_process_dies(case: Case, after: bool, killed: bool) -> None:
    taken_back = set()
    for at in range(1, case.calls + 1):
        case.reset()
        assert died(partial(case.undo, DyingDisk(at, after=after, torn=True, killed=killed))), at
        taken_back.add(case.goes_on())
    assert taken_back == case.told == {False, True}


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_one_call_fails(case: Case, error: int) -> None:
    for at in range(1, case.calls + 1):
        case.reset()
        assert case.undo(FaultyDisk(at, error)) in (0, 2), at
        case.goes_on()
