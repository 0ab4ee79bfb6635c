"""The writer as a user with a key of their own calls it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from codemods.writing import writer
from codemods.writing.journal import IN_TREE
from codemods.writing.seal import Seal
from tests.codemods.small_tree import write_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from codemods.edits import ChangeSet
    from codemods.writing.disk import Disk
    from codemods.writing.journal import ForeignJournal

KEY = b"k" * 32


def apply(root: Path, changes: ChangeSet, disk: Disk | None = None, prove: Callable[[], None] | None = None) -> None:
    writer.apply(root, changes, KEY, disk, prove)


def recover(root: Path, disk: Disk | None = None) -> writer.Recovery | None:
    found: writer.Recovery | ForeignJournal | None = writer.recover(root, KEY, disk)
    assert found is None or isinstance(found, writer.Recovery)
    return found


def write_journal(root: Path, *entries: dict[str, str | None], state: str = "open") -> Path:
    """The journal of a run on the tree `root` that was cut off."""
    journal = json.dumps({"entries": entries, "folders": []}).encode()
    write_tree(root, {f"{IN_TREE}/{state}.json": Seal(root, KEY).close(journal)})
    return root / IN_TREE / f"{state}.json"
