"""Puts a change set into git's index, where the user asks for it: that and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, WrongUse
from codemods.writing.git import git
from codemods.writing.git_state import filters_of_the_tree

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def refuse_unstageable(root: Path) -> None:
    """Raise `WrongUse` where git tracks nothing of the folder `root`, `EnvironmentProblem` where it may not stage."""
    if not git(root, "ls-files", "-z", "--", "."):
        raise WrongUse(f"--stage: git tracks nothing in {root}", "Leave it out: the files are changed all the same.")
    lock = root / (git(root, "rev-parse", "--git-path", "index.lock") or "").rstrip("\n")
    if lock.exists():
        raise EnvironmentProblem(
            f"--stage: another git is changing the index, or was cut off: there is {lock}",
            "Wait for it, or delete that file; nothing was written.",
        )


def stage(root: Path, files: Sequence[str]) -> None:
    """Make the index hold `files` of the tree as they are on disk, or not at all. Raises `EnvironmentProblem`."""
    try:
        git(root, "update-index", "--add", "--remove", "--", *files, without=filters_of_the_tree(root))
    except EnvironmentProblem as error:
        raise EnvironmentProblem(
            f"all files are written, and the index is as it was: {error.problem}", "Stage them by `git add`."
        ) from error
