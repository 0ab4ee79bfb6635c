"""The index gets the change set and nothing else, in every kind of checkout."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem, WrongUse
from codemods.edits import ChangeSet, Creation, Deletion, Rewrite
from codemods.writing.git_index import refuse_unstageable, stage
from tests.codemods.applying import apply
from tests.codemods.writing.test_git_state import git, own_settings, repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["own_settings"]

FILES = ["a.py", "sub/b.py", "new folder/new.py"]


def changes_to(root: Path) -> ChangeSet:
    return ChangeSet(
        (
            Rewrite(FILES[0], (root / FILES[0]).read_bytes(), b"changed\n", ()),
            Deletion(FILES[1], (root / FILES[1]).read_bytes(), ()),
            Creation(FILES[2], b"new\n", ()),
        )
    )


def plain(folder: Path) -> Path:
    return repository(folder / "r")


def worktree(folder: Path) -> Path:
    git(repository(folder / "r"), "worktree", "add", "-q", str(folder / "w"))
    return folder / "w"


def submodule(folder: Path) -> Path:
    repository(folder / "r")
    outer = repository(folder / "outer")
    git(outer, "submodule", "--quiet", "add", str(folder / "r"), "engine")
    git(outer, "commit", "-qm", "two")
    return outer / "engine"


def shallow(folder: Path) -> Path:
    repository(folder / "r")
    git(folder, "clone", "-q", "--depth=1", f"file://{folder / 'r'}", "s")
    return folder / "s"


def sparse(folder: Path) -> Path:
    root = repository(folder / "r")
    git(root, "sparse-checkout", "set", "--no-cone", "/*", "!/other.py")
    assert not (root / "other.py").exists()
    return root


def inside_a_repository(folder: Path) -> Path:
    """The tree is a folder of a larger repository."""
    outer = repository(folder / "r")
    inner = repository(outer / "engine")
    (inner / ".git").rename(folder / "away")
    git(outer, "add", "--all")
    git(outer, "commit", "-qm", "two")
    return inner


def with_line_ends_of_windows(folder: Path) -> Path:
    root = repository(folder / "r")
    git(root, "config", "core.autocrlf", "input")
    return root


def checked_out_with_line_ends_of_windows(folder: Path) -> Path:
    """On disk the lines end as on Windows, in git they do not."""
    repository(folder / "r")
    git(folder, "clone", "-q", "--config", "core.autocrlf=true", "r", "c")
    assert (folder / "c/sub/b.py").read_bytes() == b"b\r\n"
    return folder / "c"


def sparse_cone(folder: Path) -> Path:
    """A cone that leaves out the folder in which something new comes to be."""
    root = repository(folder / "r")
    (root / "new folder").mkdir()
    (root / "new folder/old.py").write_text("old\n")
    git(root, "add", "--all")
    git(root, "commit", "-qm", "two")
    git(root, "sparse-checkout", "set", "--cone", "sub")
    assert not (root / "new folder").exists()
    return root


CHECKOUTS = [
    plain,
    worktree,
    submodule,
    shallow,
    sparse,
    sparse_cone,
    inside_a_repository,
    with_line_ends_of_windows,
    checked_out_with_line_ends_of_windows,
]


def said(root: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("checkout", CHECKOUTS)
def test_the_change_set_and_what_was_staged_before(tmp_path: Path, checkout: Callable[[Path], Path]) -> None:
    root = checkout(tmp_path)
    hidden = said(root, "ls-files", "-t", "other.py")
    (root / "mine.py").write_text("mine\n")
    git(root, "add", "mine.py")
    (root / "*.py").write_text("not staged\n")
    refuse_unstageable(root)
    apply(root, changes_to(root))
    stage(root, FILES)
    expected = ["M\ta.py", "A\tmine.py", "A\tnew folder/new.py", "D\tsub/b.py"]
    found = said(root, "diff", "--cached", "--name-status", "--relative", "--no-renames")
    assert sorted(found) == sorted(expected)
    assert said(root, "diff", "--name-only", "--relative") == ["*.py"]
    assert said(root, "ls-files", "-t", "other.py") == hidden


def test_an_index_that_another_git_holds(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / ".git/index.lock").write_bytes(b"")
    with pytest.raises(EnvironmentProblem, match=r"another git is changing the index.*r/\.git/index\.lock"):
        refuse_unstageable(root)
    apply(root, changes_to(root))
    with pytest.raises(EnvironmentProblem, match=r"all files are written, and the index is as it was: .*index\.lock"):
        stage(root, FILES)
    (root / ".git/index.lock").unlink()
    assert said(root, "diff", "--cached", "--name-only") == []


def test_nothing_that_git_tracks(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / "build").mkdir()
    for folder in (root / "build", tmp_path):
        with pytest.raises(WrongUse, match="git tracks nothing in"):
            refuse_unstageable(folder)
