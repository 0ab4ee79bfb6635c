"""Takes the entries of models that are gone out of data files of tests: lists of lines, JSON objects by model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from codemods.code.gone import gone_with
from codemods.docs.lines import DocsLines, LineEdits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

TESTS = "tests"
LISTS = frozenset({".txt", ".csv"})


def drop_data_entries(plan: RetirementPlan, draft: Draft) -> None:
    """Drop the lines and members that are about a checkpoint that is gone."""
    texts = gone_with(plan, draft.tree).texts
    if not texts or not draft.tree.locate(TESTS).is_dir():
        return
    for file in list(draft.tree.walk(TESTS, LISTS | {".json"})):
        if draft.exists(file):
            data = draft.read(file)
            if any(text.encode() in data for text in texts):
                after = _without_members(data, texts) if file.endswith(".json") else _without_lines(data, texts)
                draft.rewrite(file, after, "entries of the retired model")


def _without_lines(data: bytes, texts: frozenset[str]) -> bytes:
    """The list without the lines that have one of `texts` for a field."""
    lines, edits = DocsLines.of(data), LineEdits()
    for number, line in enumerate(lines.lines, 1):
        if texts.intersection(field.strip() for field in line.split(",")):
            edits.removed.add(number)
    return lines.edited(edits).encode()


def _without_members(data: bytes, texts: frozenset[str]) -> bytes:
    """The JSON object, a member a line or more, without those whose key is one of `texts`.

    As it is where it is laid out in another way.
    """
    try:
        before = json.loads(data)
    except ValueError:
        return data
    if not isinstance(before, dict) or texts.isdisjoint(before):
        return data
    lines = DocsLines.of(data)
    edits = LineEdits()
    for first, last in _members(lines, texts):
        edits.removed.update(range(first, last + 1))
    kept = [n for n in range(1, len(lines.lines) + 1) if n not in edits.removed]
    closing = next((n for n in reversed(kept) if lines.lines[n - 1].strip() == "}"), None)
    previous = next((n for n in reversed(kept) if closing is not None and n < closing), None)
    if previous is not None and lines.lines[previous - 1].endswith(","):
        edits.replaced[previous] = lines.lines[previous - 1][:-1]
    after = lines.edited(edits).encode()
    try:
        left = json.loads(after)
    except ValueError:
        left = None
    return after if left == {key: value for key, value in before.items() if key not in texts} else data


def _members(lines: DocsLines, texts: frozenset[str]) -> Iterator[tuple[int, int]]:
    """The first and last line of each member of the outermost object that has one of `texts` for a key."""
    member = re.compile(r'(?P<indent>\s+)"(?P<key>[^"]+)":')
    begins = [(n, found) for n, line in enumerate(lines.lines, 1) if (found := member.match(line))]
    outer = min((found["indent"] for _, found in begins), key=len, default="")
    starts = [n for n, found in begins if found["indent"] == outer]
    end = max((n for n, line in enumerate(lines.lines, 1) if line.strip() == "}"), default=len(lines.lines))
    for start, following in zip(starts, [*starts[1:], end], strict=False):
        found = member.match(lines.lines[start - 1])
        if found is not None and found["key"] in texts:
            yield start, following - 1
