"""Applies a change set to a tree, all or nothing. No other module writes to a tree.

1. A journal is put down; 2. each new content is written beside its place and each old content gets a second name
beside it; 3. the new contents are renamed into place, and last the deletions are done; 4. the journal is marked done;
5. the second names are cleared away. Each step is on disk before the next begins. A cut before 4 is undone by renaming
the old contents back, which needs no room on the disk and gives every attribute back; a cut behind it is finished.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, Interrupted, Refused
from analyzer.source.source_tree import SourceTree
from codemods.edits import Creation, Deletion, Rewrite
from codemods.writing.disk import Disk
from codemods.writing.git_state import uncommitted_files
from codemods.writing.journal import (
    ForeignJournal,
    Journal,
    JournalEntry,
    clear_journal,
    digest,
    is_done,
    is_open,
    journal_folder,
    journal_place,
    mark_done,
    read_journal,
    write_journal,
)
from codemods.writing.recovery import digest_of, finish, undo
from codemods.writing.seal import Seal
from codemods.writing.targets import check_targets
from codemods.writing.tree_lock import locked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from codemods.edits import ChangeSet, Edit
    from codemods.writing.targets import Target


AGAIN = "Run the command again: it first undoes or finishes that."


class Outcome(StrEnum):
    """What became of a change set that was cut off."""

    UNDONE = "undone"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Recovery:
    """A change set that was cut off is no longer half done."""

    outcome: Outcome
    files: tuple[str, ...]


def apply(
    root: Path,
    changes: ChangeSet,
    key: bytes,
    disk: Disk | None = None,
    prove: Callable[[], None] | None = None,
    only_committed: bool = True,
) -> None:
    """Write `changes` to the tree at `root`; `key` is the user's secret, by which `recover` knows the journal again.

    What `prove` raises when all is in place undoes them again. Without `only_committed` a file may be changed that git
    could not give back: its content is known otherwise.

    Raises `Refused` where a file is not as the plan saw it, has uncommitted changes, may not be written or lies
    outside the tree, where another run is at work or a journal is in the way; `EnvironmentProblem` where the disk
    fails. The tree then is as it was, or where even that failed, `recover` makes it so.
    """
    if not changes.edits:
        return
    disk, tree = disk or Disk(), SourceTree(root)
    targets = check_targets(tree, changes)
    if only_committed:
        _refuse_uncommitted(root, targets)
    folder = journal_folder(root)
    try:
        with locked(folder, disk):
            seal = Seal(root, key)
            _refuse_journal(folder, seal)
            _apply(tree, changes, targets, folder, seal, disk, prove)
    except KeyboardInterrupt as error:
        raise Interrupted("interrupted", _what_became(changes.edits[0], targets[0], folder)) from error
    except OSError as error:
        raise EnvironmentProblem(f"cannot write: {error}", "Nothing was changed.") from error


def recover(root: Path, key: bytes | None, disk: Disk | None = None) -> Recovery | ForeignJournal | None:
    """Undo or finish a change set that was cut off, and say which; None where there was none.

    A journal that is not by the owner of `key` and about this tree comes back as it is, and nothing is touched.

    Raises `Refused` where another run is at work or a file was changed since, `EnvironmentProblem` where the disk
    fails.
    """
    folder = journal_place(root)
    if folder.is_symlink():
        return ForeignJournal(folder, "it is a link")
    if not folder.exists():
        return None
    disk, tree, seal = disk or Disk(), SourceTree(root), Seal(root, key)
    # Before anything is locked: a foreign journal may lie in a tree that cannot be written.
    foreign = read_journal(folder, seal)
    if isinstance(foreign, ForeignJournal):
        return foreign
    try:
        with locked(folder, disk):
            read = read_journal(folder, seal)
            if read is None:
                clear_journal(folder, disk)
                return None
            if isinstance(read, ForeignJournal):
                return read
            journal, done = read
            (finish if done else undo)(tree, journal, folder, disk)
            outcome = Outcome.FINISHED if done else Outcome.UNDONE
            return Recovery(outcome, tuple(entry.file for entry in journal.entries))
    except KeyboardInterrupt as error:
        raise Interrupted("interrupted while an earlier run was being mended", AGAIN) from error
    except OSError as error:
        raise EnvironmentProblem(f"cannot recover: {error}", "Mend that and run the command again.") from error


def _refuse_journal(folder: Path, seal: Seal) -> None:
    found = read_journal(folder, seal)
    if isinstance(found, ForeignJournal):
        raise Refused(found.problem, found.remedy)
    if found is not None:
        raise Refused("an earlier run on this tree was cut off", "Run the command again: it mends that first.")


def _what_became(edit: Edit, target: Target, folder: Path) -> str:
    """What an interrupted run has left, by what is on disk: `edit` is the first of a set that is all or nothing."""
    if is_done(folder):
        return f"All changes are written. {AGAIN}"
    if is_open(folder):
        return f"Some changes may be written. {AGAIN}"
    before = None if isinstance(edit, Creation) else digest(edit.before)
    return "Nothing was written." if digest_of(target.path) == before else "All changes are written."


def _refuse_uncommitted(root: Path, targets: tuple[Target, ...]) -> None:
    """Raise `Refused` where git could not give back what is at `targets`. It knows files by their paths past links."""
    real = os.path.realpath(root)
    dirty = uncommitted_files(root, [os.path.relpath(target.path, real) for target in targets])
    if dirty:
        raise Refused(
            f"uncommitted changes in {', '.join(dirty)}",
            "Commit or stash them first (an ignored file: `git add --force`, then commit).",
        )


def _apply(
    tree: SourceTree,
    changes: ChangeSet,
    targets: tuple[Target, ...],
    folder: Path,
    seal: Seal,
    disk: Disk,
    prove: Callable[[], None] | None,
) -> None:
    journal = _journal(tree, changes, targets)
    try:
        write_journal(folder, journal, seal, disk)
        _prepare(changes, targets, tree, journal, disk)
        _change(changes, targets, disk)
        if prove is not None:
            prove()
        mark_done(folder, disk)
    except BaseException as error:
        if is_done(folder):
            if isinstance(error, KeyboardInterrupt):
                raise
            raise EnvironmentProblem(
                f"all changes are in place, but the journal cannot be closed: {error}",
                AGAIN,
            ) from error
        try:
            undo(tree, journal, folder, disk)
        except OSError as second:
            raise EnvironmentProblem(
                f"cannot write ({error}), nor undo what was written ({second})",
                f"Mend the disk. {AGAIN}",
            ) from error
        raise
    try:
        finish(tree, journal, folder, disk)
    except OSError as error:
        raise EnvironmentProblem(
            f"all changes are in place, but their backups cannot be cleared away: {error}", AGAIN
        ) from error


def _journal(tree: SourceTree, changes: ChangeSet, targets: tuple[Target, ...]) -> Journal:
    entries: list[JournalEntry] = []
    folders: set[str] = set()
    for edit, target in zip(changes.edits, targets, strict=True):
        before = None if isinstance(edit, Creation) else digest(edit.before)
        after = None if isinstance(edit, Deletion) else digest(edit.after)
        entries.append(JournalEntry(edit.file, before, after))
        folders.update(
            parent.relative_to(os.path.realpath(tree.root)).as_posix()
            for parent in target.path.parents
            if not parent.exists()
        )
    return Journal(tuple(entries), tuple(sorted(folders)))


def _prepare(changes: ChangeSet, targets: tuple[Target, ...], tree: SourceTree, journal: Journal, disk: Disk) -> None:
    for made in journal.folders:
        disk.make_folder(tree.locate(made))
        disk.sync_folder(tree.locate(made).parent)
    for edit, target in zip(changes.edits, targets, strict=True):
        if not isinstance(edit, Creation):
            disk.keep(target.path, target.backup)
            if target.backup.read_bytes() != edit.before:
                raise Refused(f"{edit.file} changed since the plan was made", "Make the plan anew.")
        if not isinstance(edit, Deletion):
            like = target.backup.stat() if isinstance(edit, Rewrite) else None
            disk.write(target.staged, edit.after, like, edit.mode if isinstance(edit, Creation) else None)
    _sync(targets, disk)


def _change(changes: ChangeSet, targets: tuple[Target, ...], disk: Disk) -> None:
    pairs = list(zip(changes.edits, targets, strict=True))
    for edit, target in pairs:
        if not isinstance(edit, Deletion):
            disk.replace(target.staged, target.path)
    for edit, target in pairs:
        if isinstance(edit, Deletion):
            disk.remove(target.path)
    _sync(targets, disk)


def _sync(targets: tuple[Target, ...], disk: Disk) -> None:
    for folder in sorted({target.path.parent for target in targets}):
        disk.sync_folder(folder)
