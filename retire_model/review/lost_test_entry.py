"""Gives back the entry of the test registry that a change took away from an architecture which is still served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from retire_model.reports.differences import lines_of
from retire_model.review.remark import Replacement
from retire_model.review.replacements import applied

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft
    from retire_model.review.change import Change


def restore_test_entries(change: Change, draft: Draft) -> None:
    """Put them back into `draft`, behind the entry that each stood behind."""
    parts = list(_given_back(change))
    if parts and draft.exists(TEST_REGISTRY_FILE):
        reason = "the test registry's entry of an architecture that is still served"
        draft.rewrite(TEST_REGISTRY_FILE, applied(parts, draft.read(TEST_REGISTRY_FILE)), reason)


def _given_back(change: Change) -> Iterator[Replacement]:
    lines = lines_of(change.base.files.read(TEST_REGISTRY_FILE))
    left = {(entry.dictionary, entry.architecture): entry.end_line for entry in change.head_facts.tested}
    tested = {architecture for _, architecture in left}
    after: dict[str, int] = {}
    for entry in change.base_facts.tested:
        if entry.architecture in tested:
            after[entry.dictionary] = left.get((entry.dictionary, entry.architecture), after.get(entry.dictionary, 0))
        elif change.head_facts.is_served(entry.architecture) and (line := after.get(entry.dictionary)):
            text = tuple(lines[entry.location.line - 1 : entry.end_line])
            yield Replacement(TEST_REGISTRY_FILE, line + 1, line, text)
