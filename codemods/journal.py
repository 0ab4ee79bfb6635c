"""The journal of a change set: what is about to change, on disk before the first change, so that a cut can be mended.

`open` means that the change set is under way and is to be undone; `done` means that it is in place and that only
backups are left to clear. Each state is one rename, so there is never a third.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, Refused
from analyzer.regular_files import read_regular_file

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.disk import Disk

VERSION = 1
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


def journal_folder(root: Path) -> Path:
    """Where the journal of the tree `root` is kept: in its git directory, else in the tree itself.

    A `.git` that is a file names a folder outside the tree, which is not ours to write to. Raises `Refused` for a link.
    """
    git = root / ".git"
    folder = git / IN_GIT if git.is_dir() and not git.is_symlink() else root / IN_TREE
    if folder.is_symlink():
        raise Refused(f"{folder} is a link", "Remove it: the journal is written there.")
    return folder


def write_journal(folder: Path, journal: Journal, disk: Disk) -> None:
    """Put `journal` down as open, durably. Raises `OSError`."""
    disk.remove(folder / UNFINISHED)
    disk.write(folder / UNFINISHED, json.dumps({"version": VERSION, **asdict(journal)}).encode())
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


def read_journal(folder: Path) -> tuple[Journal, bool] | None:
    """The journal of a run that was cut off, and whether its change set is in place; None where there is none.

    Raises `EnvironmentProblem` for a journal that cannot be read.
    """
    for name, done in ((DONE, True), (OPEN, False)):
        path = folder / name
        if path.exists():
            try:
                raw = json.loads(read_regular_file(path))
                entries = tuple(JournalEntry(**entry) for entry in raw["entries"])
                return Journal(entries, tuple(raw["folders"])), done
            except (OSError, ValueError, TypeError, KeyError) as error:
                raise EnvironmentProblem(
                    f"{path} is not a journal of this tool: {error}", "Look at the tree, then remove that file."
                ) from error
    return None


def digest(data: bytes) -> str:
    """What a journal knows a content by."""
    return hashlib.sha256(data).hexdigest()
