"""Where on disk an edit lands, and whether it may land there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import Refused, UnreadableSource
from analyzer.source.regular_files import read_regular_file
from codemods.edits import Creation, Deletion, Rewrite

if TYPE_CHECKING:
    from analyzer.source.source_tree import SourceTree
    from codemods.edits import ChangeSet, Edit

BACKUP = ".retire-model-before"
STAGED = ".retire-model-after"


@dataclass(frozen=True, slots=True)
class Target:
    """A file that is to change, past all links, and the two files beside it that exist meanwhile."""

    file: str
    path: Path

    @property
    def backup(self) -> Path:
        """What was there before."""
        return self.path.with_name(f".{self.path.name}{BACKUP}")

    @property
    def staged(self) -> Path:
        """What is to be there."""
        return self.path.with_name(f".{self.path.name}{STAGED}")


def target_of(tree: SourceTree, file: str) -> Target:
    """Where `file` is. Raises `Refused` where that is outside the tree."""
    try:
        return Target(file, Path(os.path.realpath(tree.locate(file))))
    except UnreadableSource as error:
        raise Refused(error.problem, error.remedy) from error


def check_target(tree: SourceTree, edit: Edit) -> Target:
    """Where `edit` lands. Raises `Refused` where the file is not as the plan saw it or may not be written."""
    target = target_of(tree, edit.file)
    for left in (target.backup, target.staged):
        if os.path.lexists(left):
            raise Refused(f"{left} is in the way", "It is left of something else: look at it and move it away.")
    match edit:
        case Creation():
            if os.path.lexists(target.path):
                raise Refused(f"{edit.file} exists already", "Make the plan anew.")
        case Rewrite() | Deletion():
            _check_file(tree, edit, target)
    return target


def _check_file(tree: SourceTree, edit: Rewrite | Deletion, target: Target) -> None:
    try:
        same = read_regular_file(target.path) == edit.before
        mode = target.path.stat().st_mode
    except OSError as error:
        raise Refused(f"cannot read {edit.file}: {error.strerror}", "Make the plan anew.") from error
    if not same:
        raise Refused(f"{edit.file} changed since the plan was made", "Make the plan anew.")
    if not mode & 0o222 or not os.access(target.path, os.W_OK):
        raise Refused(f"{edit.file} is read-only", f"Make it writable first: chmod u+w {target.path}")
    if isinstance(edit, Deletion) and tree.locate(edit.file).is_symlink():
        raise Refused(f"{edit.file} is a link to {target.path}", "Take the link away by hand first.")


def check_targets(tree: SourceTree, changes: ChangeSet) -> tuple[Target, ...]:
    """Where each edit lands, in the order of `changes`. Raises `Refused`."""
    targets = tuple(check_target(tree, edit) for edit in changes.edits)
    if len({target.path for target in targets}) < len(targets):
        raise Refused("two of the files to be edited are one and the same by a link", "Take the link away first.")
    return targets
