"""A journal that the user's own runs did not write for this tree is named and never acted on."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import Refused
from codemods.edits import ChangeSet, Rewrite
from codemods.writing import writer
from codemods.writing.journal import IN_GIT, IN_TREE, ForeignJournal, digest
from codemods.writing.seal import Seal
from tests.codemods.applying import KEY, recover, write_journal
from tests.codemods.faulty_disk import snapshot
from tests.codemods.small_tree import write_tree

if TYPE_CHECKING:
    from pathlib import Path

CHANGES = ChangeSet((Rewrite("a.py", b"old\n", b"new\n", ()),))
ENTRY: dict[str, str | None] = {"file": "LICENSE", "before": None, "after": digest(b"free\n")}
FORGED = json.dumps({"version": 1, "entries": [ENTRY], "folders": []}).encode()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("codemods.writing.writer.uncommitted_files", lambda *_: ())
    write_tree(tmp_path / "tree", {"a.py": "old\n", "LICENSE": "free\n"})
    return tmp_path / "tree"


def refused(root: Path, key: bytes | None = KEY) -> ForeignJournal:
    """What `recover` says of the journal in `root`, where nothing may be touched."""
    before = snapshot(root)
    found = writer.recover(root, key)
    assert isinstance(found, ForeignJournal)
    with pytest.raises(Refused, match="is not a journal that your runs"):
        writer.apply(root, CHANGES, key or b"another key")
    assert snapshot(root) == before
    return found


@pytest.mark.parametrize(
    "journal",
    [
        b"",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        b'{"entries": [{"file": 5, "before": null, "after": null}], "folders": []}',
        b'{"entries": [{"file": "a", "before": 5, "after": 5}], "folders": []}',
        b'{"entries": [{"file": "\\ud800", "before": null, "after": null}], "folders": []}',
        b'{"entries": [], "folders": [7]}',
        FORGED,
        b'{"version": 2, "mark": "' + b"0" * 64 + b'", "journal": ' + FORGED + b"}",
    ],
)
@pytest.mark.parametrize("name", ["open.json", "done.json"])
@pytest.mark.parametrize("folder", [IN_TREE, f".git/{IN_GIT}"])
def test_forged(root: Path, folder: str, name: str, journal: bytes) -> None:
    write_tree(root, {f"{folder}/{name}": journal})
    assert refused(root).path == root / folder / name


def test_ones_own_by_any_name_of_the_tree(root: Path, tmp_path: Path) -> None:
    journal = write_journal(root, ENTRY)
    assert json.loads(journal.read_bytes())["journal"]["entries"] == [ENTRY]
    (tmp_path / "link").symlink_to(root)
    assert recover(tmp_path / "link") == writer.Recovery(writer.Outcome.UNDONE, ("LICENSE",))
    assert not (root / "LICENSE").exists()
    assert not journal.parent.exists()


def test_by_another_user_or_without_any_key(root: Path) -> None:
    write_journal(root, ENTRY)
    refused(root, b"another key")
    refused(root, None)


def test_about_another_tree(root: Path, tmp_path: Path) -> None:
    write_journal(root, ENTRY)
    shutil.copytree(root, tmp_path / "other")
    refused(tmp_path / "other")


def test_every_byte_counts(root: Path) -> None:
    closed = write_journal(root, ENTRY).read_bytes()
    assert Seal(root, KEY).open(closed) is not None
    for at in range(len(closed)):
        for changed in (closed[:at], closed[:at] + bytes([closed[at] ^ 1]) + closed[at + 1 :]):
            assert Seal(root, KEY).open(changed) is None


def test_what_is_no_file(root: Path) -> None:
    (root / IN_TREE / "open.json").mkdir(parents=True)
    assert "not a regular file" in refused(root).problem
