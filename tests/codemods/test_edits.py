"""A draft is a tree with edits; what comes out of it is one edit a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemods.edits import Creation, Deletion, Draft, Rewrite
from tests.codemods.small_tree import write_tree

if TYPE_CHECKING:
    from pathlib import Path


def test_edits_of_a_draft(tmp_path: Path) -> None:
    draft = Draft(write_tree(tmp_path, {"a": "a", "b": "b", "c": "c", "d": "d"}))
    draft.rewrite("b", b"B", "first")
    draft.rewrite("b", b"BB", "second")
    draft.rewrite("c", b"c", "no change")
    draft.rewrite("d", b"D", "there")
    draft.rewrite("d", b"d", "and back")
    draft.rewrite("e", b"e", "new")
    draft.rewrite("f", b"f", "new for a moment")
    draft.delete("f", "gone again")
    draft.delete("a", "gone")
    assert not draft.exists("a")
    assert draft.read("b") == b"BB"
    assert draft.change_set().edits == (
        Deletion("a", b"a", ("gone",)),
        Rewrite("b", b"b", b"BB", ("first", "second")),
        Creation("e", b"e", ("new",)),
    )
