"""Gives back the entry of the test registry that a change took away from an architecture which is still served."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from analyzer.test_registry import TEST_REGISTRY_FILE
from retire_model.differences import lines_of
from retire_model.review.remark import Replacement
from retire_model.review.replacements import applied

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft
    from retire_model.review.change import Change


def restore_test_entries(change: Change, draft: Draft) -> None:
    """Put them back into `draft`, where they stood."""
    lost = [
        entry
        for entry in change.base_facts.tested
        if change.head_facts.is_served(entry.architecture)
        and entry.architecture not in {tested.architecture for tested in change.head_facts.tested}
    ]
    if not lost or not draft.exists(TEST_REGISTRY_FILE):
        return
    before = lines_of(change.base.files.read(TEST_REGISTRY_FILE))
    data = draft.read(TEST_REGISTRY_FILE)
    wanted = {line for entry in lost for line in range(entry.location.line, entry.end_line + 1)}
    parts = list(_given_back(before, lines_of(data), wanted))
    names = ", ".join(entry.architecture for entry in lost)
    draft.rewrite(TEST_REGISTRY_FILE, applied(parts, data), f"test entry of {names}, which is still served")


def _given_back(before: list[str], after: list[str], wanted: set[int]) -> Iterator[Replacement]:
    """The lines `wanted` of what was before, at the places where they were taken out."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, start, _ in matcher.get_opcodes():
        lines = tuple(before[number - 1] for number in range(first + 1, last + 1) if number in wanted)
        if tag == "delete" and lines:
            yield Replacement(TEST_REGISTRY_FILE, start + 1, start, lines)
