"""Asks git when files were first committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemods.writing.git import git

if TYPE_CHECKING:
    from pathlib import Path


def first_days(root: Path, folder: str) -> dict[str, str]:
    """The day on which each file below `folder` was first committed; none outside a repository with its whole history.

    Raises `EnvironmentProblem` where git cannot tell.
    """
    if not (root / ".git").exists():
        return {}
    state = git(root, "rev-parse", "--is-shallow-repository", "--revs-only", "HEAD") or ""
    if state.split()[:1] == ["true"] or len(state.split()) < 2:
        return {}
    log = git(root, "log", "--diff-filter=A", "--no-renames", "--name-only", "-z", "--format=%x01%as", "--", folder)
    days: dict[str, str] = {}
    day = ""
    for entry in (log or "").replace("\n", "\0").split("\0"):
        if entry.startswith("\1"):
            day = entry[1:]
        elif entry:
            # The newest commit comes first: the last word is that of the oldest.
            days[entry] = day
    return days
