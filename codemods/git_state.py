"""Asks git which files of a tree have changes that are not committed, and its tags. Never touches the index."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

# No lock on the index, no patterns in paths, and no program that the tree's own configuration names.
GIT = ("git", "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false")
STATUS = ("status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=none")
CALLERS = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE"})
"""Set where git itself runs the command, as in a hook, and about another repository perhaps."""


def uncommitted_files(root: Path, files: Sequence[str]) -> tuple[str, ...]:
    """Those of `files` with changes that are not committed; none where `root` is not in a git work tree.

    A file that git does not know counts where `root` is a repository of its own. A release unpacked somewhere inside
    another repository is nobody's work there. Raises `EnvironmentProblem` where git cannot tell.
    """
    place = _git(root, "rev-parse", "--is-inside-work-tree", "--show-prefix")
    if place is None:
        return ()
    inside, prefix = place.split("\n")[:2]
    if inside != "true":
        return ()
    untracked = "--untracked-files=no" if prefix else "--untracked-files=all"
    listed = _git(root, *STATUS, untracked, "--", *files) or ""
    return tuple(sorted(entry[3:].removeprefix(prefix) for entry in listed.split("\0") if entry))


def version_tags(root: Path) -> tuple[str, ...]:
    """The tags of the repository at `root` that the checked out commit descends from; none outside any repository.

    Raises `EnvironmentProblem` where git cannot tell.
    """
    if not (root / ".git").exists():
        return ()
    return tuple((_git(root, "tag", "--merged", "HEAD", "--list", "v*") or "").split())


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints; None outside any repository."""
    environment = {name: value for name, value in os.environ.items() if name not in CALLERS} | {"LC_ALL": "C"}
    try:
        done = subprocess.run(  # noqa: S603 - fixed program and options, paths behind `--`
            (*GIT, *arguments), cwd=root, env=environment, capture_output=True, check=False
        )
    except FileNotFoundError as error:
        if (root / ".git").exists():
            raise EnvironmentProblem(
                f"{root} is a git work tree, and git is not installed", "Install git: it tells what is not committed."
            ) from error
        return None
    if done.returncode == 0:
        return os.fsdecode(done.stdout)
    message = os.fsdecode(done.stderr).strip()
    if "not a git repository" in message and not (root / ".git").exists():
        return None
    raise EnvironmentProblem(
        f"git cannot tell the state of {root}: {message.splitlines()[0] if message else 'no reason given'}",
        "Make `git status` work there first.",
    )
