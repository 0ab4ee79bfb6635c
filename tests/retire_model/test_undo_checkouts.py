"""`retire-model undo --stage` gives back the tree and the index, in every kind of checkout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from codemods.writing import writer
from codemods.writing.git_index import refuse_unstageable, stage
from retire_model.command import run
from retire_model.journal_key import journal_key
from retire_model.last_change import keep_last_change, last_change_of
from tests.codemods.faulty_disk import Snapshot, snapshot
from tests.codemods.writing.test_git_index import CHECKOUTS, FILES, changes_to, said
from tests.codemods.writing.test_git_state import git, own_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["own_settings"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))


def files_of(root: Path) -> Snapshot:
    return {name: found for name, found in snapshot(root).items() if not name.startswith(".git/")}


def write_and_stage(root: Path) -> None:
    """Change the tree with --stage, as the command does it."""
    changes = changes_to(root)
    key, change = journal_key(root), last_change_of(root, "toy", changes)
    refuse_unstageable(root)
    writer.apply(root, changes, key)
    keep_last_change(root, key, change)
    stage(root, FILES)


@pytest.mark.parametrize("checkout", CHECKOUTS)
def test_the_tree_and_the_index(tmp_path: Path, checkout: Callable[[Path], Path]) -> None:
    root = checkout(tmp_path)
    (root / "mine.py").write_text("mine\n")
    git(root, "add", "mine.py")
    (root / "*.py").write_text("not staged\n")
    index, files = said(root, "ls-files", "--stage", "-t"), files_of(root)
    write_and_stage(root)
    assert said(root, "ls-files", "--stage", "-t") != index
    assert run(["undo", "--stage", "--engine", str(root)]) == 0
    assert files_of(root) == files
    assert said(root, "ls-files", "--stage", "-t") == index
    assert said(root, "status", "--porcelain", "--", *FILES) == []


@pytest.mark.parametrize("checkout", CHECKOUTS)
def test_an_index_that_another_git_holds(
    tmp_path: Path, checkout: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    root = checkout(tmp_path)
    files = files_of(root)
    write_and_stage(root)
    after, index = files_of(root), said(root, "ls-files", "--stage")
    lock = root / said(root, "rev-parse", "--git-path", "index.lock")[0]
    lock.write_bytes(b"")
    assert run(["undo", "--stage", "--engine", str(root)]) == 2
    assert "another git is changing the index" in capsys.readouterr().err
    assert files_of(root) == after
    assert run(["undo", "--engine", str(root)]) == 0
    assert files_of(root) == files
    lock.unlink()
    assert said(root, "ls-files", "--stage") == index
