"""Whatever fails or dies at whatever call, the tree is as it was or as it is to be."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem, Interrupted
from codemods.writing.disk import Disk
from codemods.writing.journal import IN_TREE
from codemods.writing.writer import Outcome
from tests.codemods.applying import apply, recover
from tests.codemods.faulty_disk import (
    CountingDisk,
    DyingDisk,
    FaultyDisk,
    InterruptedDisk,
    ShortDisk,
    Snapshot,
    died,
    snapshot,
    tree_and_changes,
)

if TYPE_CHECKING:
    from pathlib import Path


class Case:
    """A tree, its change set, and how the tree looks before and after it."""

    def __init__(self, folder: Path, *, in_git: bool) -> None:
        self.pristine, self.changes = tree_and_changes(folder)
        if in_git:
            (self.pristine / ".git").mkdir()
        self.root = folder / "work"
        self.before = snapshot(self.pristine)
        self.reset()
        disk = CountingDisk()
        self.apply(disk)
        self.calls = disk.calls
        self.after = snapshot(self.root)
        assert len(self.before) != len(self.after)

    def reset(self) -> None:
        if self.root.exists() and self.now() == self.before:
            return
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.pristine, self.root)

    def apply(self, disk: Disk) -> None:
        apply(self.root, self.changes, disk)

    def now(self) -> Snapshot:
        return snapshot(self.root)

    def recovered(self, disk: Disk | None = None) -> Snapshot:
        """The tree after recovery, which says what it did and does nothing the second time."""
        recovery = recover(self.root, disk)
        now = self.now()
        if recovery is not None:
            assert now == (self.before if recovery.outcome is Outcome.UNDONE else self.after)
            assert recovery.files == tuple(edit.file for edit in self.changes.edits)
        assert recover(self.root) is None
        return now


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    # Git itself is tried elsewhere: here it would be thousands of processes.
    monkeypatch.setattr("codemods.writing.writer.uncommitted_files", lambda *_: ())
    return Case(tmp_path, in_git=False)


@pytest.fixture
def case_in_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.setattr("codemods.writing.writer.uncommitted_files", lambda *_: ())
    return Case(tmp_path, in_git=True)


FAULTS_AT_A_CALL = 14
"""Tried below at every call: four errors, two that stay, four ends, two interruptions, and two ends in other trees."""


def test_what_is_tried(case: Case) -> None:
    assert len(case.changes.edits) >= 10
    assert FAULTS_AT_A_CALL * case.calls >= 1000
    assert case.recovered() == case.after


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES, errno.EIO, errno.EROFS])
def test_one_call_fails(case: Case, error: int) -> None:
    for at in range(1, case.calls + 1):
        case.reset()
        disk = FaultyDisk(at, error)
        try:
            case.apply(disk)
        except EnvironmentProblem as problem:
            if "all changes are in place" in problem.problem:
                assert case.recovered() == case.after, at
            else:
                assert case.now() == case.before, at
                assert case.recovered() == case.before, at
        else:
            assert case.recovered() == case.after, at


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_every_call_fails_from_some_call_on(case: Case, error: int) -> None:
    for at in range(1, case.calls + 1):
        case.reset()
        # Where the lock alone cannot be taken away, all went well.
        with suppress(EnvironmentProblem):
            case.apply(FaultyDisk(at, error, for_good=True))
        assert case.recovered() in (case.before, case.after), at


@pytest.mark.parametrize("killed", [False, True], ids=["exit", "kill"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_the_process_dies(case: Case, after: bool, killed: bool) -> None:
    outcomes = set()
    for at in range(1, case.calls + 1):
        case.reset()
        assert died(partial(case.apply, DyingDisk(at, after=after, torn=True, killed=killed)))
        now = case.recovered()
        assert now in (case.before, case.after), at
        outcomes.add(now == case.after)
    assert outcomes == {False, True}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_the_user_interrupts(case: Case, after: bool) -> None:
    told = set()
    for at in range(1, case.calls + 1):
        case.reset()
        with pytest.raises(Interrupted) as caught:
            case.apply(InterruptedDisk(at, after=after))
        told.add(caught.value.remedy.partition(".")[0])
        expected = {"Nothing was written": case.before, "All changes are written": case.after}
        now = case.now()
        recovered = case.recovered()
        if "Run the command again" not in caught.value.remedy:
            files = {name: file for name, file in now.items() if not name.startswith(IN_TREE)}
            assert files == recovered, at
        assert recovered == expected[caught.value.remedy.partition(".")[0]], (at, caught.value.remedy)
    assert told == {"Nothing was written", "All changes are written"}


def test_the_user_interrupts_twice(case: Case) -> None:
    case.reset()
    disk = InterruptedDisk(60, after=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("codemods.writing.writer.undo", _interrupt)
        with pytest.raises(Interrupted, match="interrupted") as caught:
            case.apply(disk)
    assert caught.value.remedy.startswith("Some changes may be written. Run the command again")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("codemods.writing.writer.undo", _interrupt)
        with pytest.raises(Interrupted, match="while an earlier run was being mended"):
            recover(case.root)
    assert case.recovered() == case.before


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_the_process_dies_in_a_git_work_tree(case_in_git: Case) -> None:
    test_the_process_dies(case_in_git, after=True, killed=False)
    assert list((case_in_git.root / ".git").iterdir()) == []


def test_the_recovery_dies_too(case: Case) -> None:
    for at in range(10, case.calls + 1, 7):
        for second in range(1, 40, 3):
            case.reset()
            assert died(partial(case.apply, DyingDisk(at, after=True)))
            died(partial(recover, case.root, DyingDisk(second, after=bool(second % 2))))
            assert case.recovered() in (case.before, case.after), (at, second)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES, errno.EIO])
def test_the_recovery_fails(case: Case, error: int) -> None:
    for at in range(10, case.calls + 1, 23):
        for second in range(1, 40, 2):
            case.reset()
            assert died(partial(case.apply, DyingDisk(at, after=True)))
            with suppress(EnvironmentProblem):
                recover(case.root, FaultyDisk(second, error))
            assert case.recovered() in (case.before, case.after), (at, second)


def test_the_disk_takes_a_few_bytes_at_a_time(case: Case) -> None:
    case.reset()
    disk = ShortDisk()
    case.apply(disk)
    assert case.recovered() == case.after
    assert disk.calls > case.calls
    for at in range(1, disk.calls + 1, 13):
        case.reset()
        assert died(partial(case.apply, ShortDisk(at)))
        assert case.recovered() in (case.before, case.after), at


def test_no_hard_links(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    case.reset()
    case.apply(Disk())
    assert case.now() == case.after
    for at in range(1, case.calls + 1):
        case.reset()
        died(partial(case.apply, DyingDisk(at, after=False, torn=True)))
        assert case.recovered() in (case.before, case.after), at
