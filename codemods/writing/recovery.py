"""The two ways out of a change set: back to what was, or on to what is to be. Both can be cut off and done again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import Refused
from analyzer.source.regular_files import read_regular_file
from codemods.writing.journal import clear_journal, digest
from codemods.writing.targets import target_of

if TYPE_CHECKING:
    from analyzer.source.source_tree import SourceTree
    from codemods.writing.disk import Disk
    from codemods.writing.journal import Journal, JournalEntry
    from codemods.writing.targets import Target


def undo(tree: SourceTree, journal: Journal, folder: Path, disk: Disk) -> None:
    """Put every file back to what it was. Raises `OSError`, and `Refused` for a file that somebody else changed."""
    targets = [target_of(tree, entry.file) for entry in journal.entries]
    for entry, target in zip(journal.entries, targets, strict=True):
        _restore(entry, target, disk)
    for target in targets:
        disk.remove(target.backup)
        disk.remove(target.staged)
    _sync(targets, disk)
    for made in reversed(journal.folders):
        disk.remove_folder(tree.locate(made))
    clear_journal(folder, disk)


def _restore(entry: JournalEntry, target: Target, disk: Disk) -> None:
    current = digest_of(target.path)
    if current == entry.before:
        return
    if entry.before is None:
        if current == entry.after:
            disk.remove(target.path)
        return
    # All backups are complete and compared before the first file changes: without a good one, nothing here is ours.
    kept = digest_of(target.backup)
    if kept is None or (kept != entry.before and current != entry.after):
        return
    if current not in {entry.after, None} or kept != entry.before:
        raise Refused(
            f"{target.path} was changed after a run that was cut off; what was there before is in {target.backup}",
            "Keep one of the two: rename the second over the first or remove it, then run the command again.",
        )
    disk.replace(target.backup, target.path)


def finish(tree: SourceTree, journal: Journal, folder: Path, disk: Disk) -> None:
    """Clear away what a change set that is in place has left: backups, and folders that are empty now."""
    targets = [target_of(tree, entry.file) for entry in journal.entries]
    for target in targets:
        disk.remove(target.backup)
    _sync(targets, disk)
    root = Path(os.path.realpath(tree.root))
    for entry, target in zip(journal.entries, targets, strict=True):
        for parent in target.path.parents:
            # An earlier attempt may have taken the inner folders away already.
            if entry.after is not None or parent == root or (parent.is_dir() and any(parent.iterdir())):
                break
            disk.remove_folder(parent)
    clear_journal(folder, disk)


def digest_of(path: Path) -> str | None:
    """The digest of the file at `path`; None where there is none."""
    try:
        return digest(read_regular_file(path))
    except FileNotFoundError:
        return None


def _sync(targets: list[Target], disk: Disk) -> None:
    for parent in sorted({target.path.parent for target in targets}):
        if parent.is_dir():
            disk.sync_folder(parent)
