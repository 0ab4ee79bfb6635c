"""The journal of a change set: what is about to change, on disk before the first change, so that a cut can be mended.

A tree may bring a journal along that somebody else wrote, so none is read without the mark of this user's key.
`open` means that the change set is under way and is to be undone; `done` means that it is in place and that only
backups are left to clear. Each state is one rename, so there is never a third.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from analyzer.errors import Refused
from analyzer.source.regular_files import read_regular_file
from codemods.writing.targets import BACKUP

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.writing.disk import Disk
    from codemods.writing.seal import Seal

IN_TREE = ".retire-model-journal"
IN_GIT = "retire-model-journal"
OPEN, DONE, UNFINISHED = "open.json", "done.json", "unfinished.json"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One file, by what it was and what it is to be: digests, None where there is no file."""

    file: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Journal:
    """All files of a change set, and the folders that it makes."""

    entries: tuple[JournalEntry, ...]
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignJournal:
    """A journal that cannot be read, or that this user's runs did not write for this tree: nothing in it is done."""

    path: Path
    reason: str

    @property
    def problem(self) -> str:
        """What is wrong, in one line."""
        return f"{self.path} is not a journal that your runs of this tool wrote for this tree: {self.reason}"

    @property
    def remedy(self) -> str:
        """What to do about it. The one innocent case is a tree that was moved after the cut: its backups are there."""
        return f"Nothing in it was done. Look at it and for *{BACKUP} files in the tree, then remove it."


def journal_place(root: Path) -> Path:
    """Where the journal of the tree `root` is kept: in its git directory, else in the tree itself.

    A `.git` that is a file names a folder outside the tree, which is not ours to write to.
    """
    git = root / ".git"
    return git / IN_GIT if git.is_dir() and not git.is_symlink() else root / IN_TREE


def journal_folder(root: Path) -> Path:
    """The same, to write to. Raises `Refused` for a link."""
    folder = journal_place(root)
    if folder.is_symlink():
        raise Refused(f"{folder} is a link", "Remove it: the journal is written there.")
    return folder


def write_journal(folder: Path, journal: Journal, seal: Seal, disk: Disk) -> None:
    """Put `journal` down as open, durably. Raises `OSError`."""
    disk.remove(folder / UNFINISHED)
    disk.write(folder / UNFINISHED, seal.close(json.dumps(asdict(journal)).encode()))
    disk.replace(folder / UNFINISHED, folder / OPEN)
    disk.sync_folder(folder)
    disk.sync_folder(folder.parent)


def mark_done(folder: Path, disk: Disk) -> None:
    """From here on the change set is in place. Where that cannot be made durable it is open again, with `OSError`."""
    disk.replace(folder / OPEN, folder / DONE)
    try:
        disk.sync_folder(folder)
    except BaseException:
        disk.replace(folder / DONE, folder / OPEN)
        raise


def is_done(folder: Path) -> bool:
    """Whether the change set of this journal is in place."""
    return (folder / DONE).exists()


def is_open(folder: Path) -> bool:
    """Whether the change set of this journal is under way, and is to be undone."""
    return (folder / OPEN).exists()


def clear_journal(folder: Path, disk: Disk) -> None:
    """Nothing is under way any more."""
    for name in (DONE, OPEN, UNFINISHED):
        disk.remove(folder / name)
    disk.sync_folder(folder)


def read_journal(folder: Path, seal: Seal) -> tuple[Journal, bool] | ForeignJournal | None:
    """The journal of a run that was cut off, and whether its change set is in place; None where there is none."""
    for name, done in ((DONE, True), (OPEN, False)):
        path = folder / name
        try:
            content = seal.open(read_regular_file(path))
        except FileNotFoundError:
            continue
        except OSError as error:
            return ForeignJournal(path, error.strerror or str(error))
        if content is None:
            return ForeignJournal(path, f"it lacks your mark for {os.path.realpath(seal.root)}")
        raw = json.loads(content)
        return Journal(tuple(JournalEntry(**entry) for entry in raw["entries"]), tuple(raw["folders"])), done
    return None


def digest(data: bytes) -> str:
    """What a journal knows a content by."""
    return hashlib.sha256(data).hexdigest()
