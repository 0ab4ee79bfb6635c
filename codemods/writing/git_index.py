"""Puts a change set into git's index, where the user asks for it: that and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import WrongUse
from codemods.writing.git import git
from codemods.writing.git_state import filters_of_the_tree

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def refuse_unstageable(root: Path) -> None:
    """Raise `WrongUse` where git tracks nothing of the folder `root`, `EnvironmentProblem` where it cannot tell."""
    if not git(root, "ls-files", "-z", "--", "."):
        raise WrongUse(f"--stage: git tracks nothing in {root}", "Leave it out: the files are changed all the same.")


def stage(root: Path, files: Sequence[str]) -> None:
    """Make the index hold `files` of the tree as they are on disk, or not at all. Raises `EnvironmentProblem`."""
    git(root, "update-index", "--add", "--remove", "--", *files, without=filters_of_the_tree(root))
