"""The last change set that was written to a tree, kept in the cache so that it can be taken back, also without git."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem
from analyzer.source.regular_files import read_regular_file
from codemods.edits import Creation, Deletion
from codemods.writing.disk import Disk
from codemods.writing.journal import digest
from codemods.writing.seal import Seal
from retire_model.sources.cache_layout import CacheLayout, cache_folder
from retire_model.whole_files import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.edits import ChangeSet

MOST = 32
"""Trees whose last change set is kept; of more than that the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file: what it was, and the digest of what it became; None where there was or is no file."""

    file: str
    before: bytes | None
    mode: int | None
    after: str | None


@dataclass(frozen=True, slots=True)
class LastChange:
    """What was done to a tree."""

    title: str
    """The models that were retired, for people."""
    files: tuple[ChangedFile, ...]


def last_change_of(root: Path, title: str, changes: ChangeSet) -> LastChange:
    """What `changes`, which the tree at `root` does not have yet, is going to be. Raises `EnvironmentProblem`."""
    try:
        return LastChange(
            title,
            tuple(
                ChangedFile(
                    edit.file,
                    None if isinstance(edit, Creation) else edit.before,
                    None if isinstance(edit, Creation) else (root / edit.file).stat().st_mode & 0o7777,
                    None if isinstance(edit, Deletion) else digest(edit.after),
                )
                for edit in changes.edits
            ),
        )
    except OSError as error:
        raise EnvironmentProblem(f"cannot read {error.filename}: {error.strerror}", "Make the plan anew.") from error


def keep_last_change(root: Path, key: bytes, change: LastChange) -> None:
    """Keep `change` as the last to the tree at `root`, in place of an earlier one. Raises `EnvironmentProblem`."""
    files = [
        [f.file, None if f.before is None else base64.b64encode(f.before).decode(), f.mode, f.after]
        for f in change.files
    ]
    place = _place(root)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        packed = zlib.compress(json.dumps({"title": change.title, "files": files}).encode())
        write_whole(place, Seal(root, key).close(json.dumps(base64.b64encode(packed).decode()).encode()).decode())
        for old in sorted(place.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)[:-MOST]:
            Disk().remove(old)
    except OSError as error:
        raise EnvironmentProblem(
            f"cannot keep at {place} what is needed to take the changes back: {error.strerror or error}",
            "Set RETIRE_MODEL_CACHE to a folder that can be written.",
        ) from error


def known_last_change(root: Path, key: bytes | None) -> LastChange | None:
    """The last change set of the tree at `root`; None where none is kept that this user's key has marked."""
    try:
        content = Seal(root, key).open(read_regular_file(_place(root)))
    except OSError:
        return None
    if content is None:
        return None
    raw = json.loads(zlib.decompress(base64.b64decode(json.loads(content))))
    return LastChange(
        raw["title"],
        tuple(
            ChangedFile(file, None if before is None else base64.b64decode(before), mode, after)
            for file, before, mode, after in raw["files"]
        ),
    )


def forget_last_change(root: Path) -> None:
    """Keep nothing of the tree at `root`. Raises `OSError`."""
    Disk().remove(_place(root))


def _place(root: Path) -> Path:
    return CacheLayout(cache_folder()).last_change(root)
