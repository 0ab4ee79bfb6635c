"""Asks git which files of a tree are not committed as they are, and its tags."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codemods.writing.git import git

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PROGRAMS = ("clean", "process", "required")
"""The settings of a filter that has git run a program over the bytes of a file."""


@dataclass(frozen=True, slots=True)
class Blob:
    """What git has for a file."""

    mode: str
    name: str


def uncommitted_files(root: Path, files: Sequence[str]) -> tuple[str, ...]:
    """Those of `files` of which git has not committed what is on disk; none where `root` is not in a git work tree.

    `git status` is not asked: it passes over files that are ignored, and believes an index that says that a file need
    not be looked at. A file that git does not know counts, unless all of `files` are unknown in a repository around
    `root`: a release unpacked somewhere inside another repository is nobody's work there. Raises
    `EnvironmentProblem` where git cannot tell.
    """
    place = git(root, "rev-parse", "--is-inside-work-tree", "--show-prefix", "--revs-only", "HEAD")
    if place is None:
        return ()
    inside, prefix, head = place.split("\n")[:3]
    if inside != "true":
        return ()
    committed = dict(_committed(root, head, files)) if head else {}
    staged, left_out = _staged(root, files)
    if prefix and not committed and not staged:
        return ()
    on_disk = {file for file in files if os.path.lexists(root / file)}
    unchanged = _unchanged(root, sorted(on_disk & committed.keys()), committed)

    def is_committed(file: str) -> bool:
        if committed.get(file) != staged.get(file):
            return False
        return file in unchanged if file in on_disk else file not in committed or file in left_out

    return tuple(sorted(file for file in files if not is_committed(file)))


def version_tags(root: Path) -> tuple[str, ...]:
    """The tags of the repository at `root` that the checked out commit descends from; none outside any repository.

    Raises `EnvironmentProblem` where git cannot tell.
    """
    if not (root / ".git").exists():
        return ()
    return tuple((git(root, "tag", "--merged", "HEAD", "--list", "v*") or "").split())


def _committed(root: Path, head: str, files: Sequence[str]) -> Iterator[tuple[str, Blob]]:
    for entry in (git(root, "ls-tree", "-z", head, "--", *files) or "").split("\0")[:-1]:
        facts, _, file = entry.partition("\t")
        mode, _, name = facts.split(" ")
        yield file, Blob(mode, name)


def _staged(root: Path, files: Sequence[str]) -> tuple[dict[str, Blob | None], set[str]]:
    """What the index has, None for a file that is not merged; and the files that a sparse checkout leaves out."""
    staged: dict[str, Blob | None] = {}
    left_out = set()
    for entry in (git(root, "ls-files", "-z", "--stage", "-t", "--", *files) or "").split("\0")[:-1]:
        facts, _, file = entry.partition("\t")
        tag, mode, name, stage = facts.split(" ")
        staged[file] = Blob(mode, name) if stage == "0" else None
        if tag == "S":
            left_out.add(file)
    return staged, left_out


def _unchanged(root: Path, files: Sequence[str], committed: dict[str, Blob]) -> set[str]:
    """Those of `files` whose bytes are as committed, themselves or past the filters that git puts them through."""
    same = _hashed(root, files, committed, "--no-filters")
    others = [file for file in files if file not in same]
    return same | _hashed(root, others, committed, without=filters_of_the_tree(root)) if others else same


def _hashed(
    root: Path, files: Sequence[str], committed: dict[str, Blob], *options: str, without: tuple[str, ...] = ()
) -> set[str]:
    if not files:
        return set()
    names = (git(root, "hash-object", *options, "--", *files, without=without) or "").split()
    return {file for file, name in zip(files, names, strict=True) if committed[file].name == name}


def filters_of_the_tree(root: Path) -> tuple[str, ...]:
    """The settings of filters in the tree's own configuration: they name programs, which are not run."""
    listed = (git(root, "config", "--list", "--null", "--show-scope", "--name-only") or "").split("\0")
    return tuple(
        setting
        for scope, setting in zip(listed[::2], listed[1::2], strict=False)
        if scope in ("local", "worktree") and setting.startswith("filter.") and setting.endswith(PROGRAMS)
    )
