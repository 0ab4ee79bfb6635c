"""Running text of a docs page: which lines it is, notes about one model, models enumerated in a sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemods.docs.lines import DocsLines, LineEdits

if TYPE_CHECKING:
    from collections.abc import Iterator

FENCE = re.compile(r"\s*(```+|~~~+)")
NOTE = re.compile(r"(?P<indent>\s*)!!! ")
SPAN = re.compile(r"`([^`\n]+)`")
MODEL = re.compile(r"[\w.-]+/[\w.-]+|[A-Z]\w*(?:For[A-Z]\w+|Model)")
"""A checkpoint or an architecture."""
NAMED = r"(?:\[`{0}`\]\([^)\s]*\)|`{0}`)"
ANY = NAMED.format(r"[^`\n]+")


def plain_lines(lines: DocsLines) -> Iterator[tuple[int, str]]:
    """The lines outside code blocks, with their numbers from 1."""
    fence = ""
    for number, line in enumerate(lines.lines, 1):
        found = FENCE.match(line)
        if found is not None and not fence:
            fence = found[1]
        elif found is not None and found[1].startswith(fence) and line.strip() == found[1]:
            fence = ""
        elif not fence:
            yield number, line


def without_dead_notes(lines: DocsLines, texts: frozenset[str]) -> DocsLines:
    """The page without the notes (`!!! note`) that name models of `texts` and no other."""
    edits = LineEdits()
    for number, line in plain_lines(lines):
        found = NOTE.match(line)
        if found is None:
            continue
        last = _end_of_note(lines, number, len(found["indent"]))
        body = "\n".join(lines.lines[number:last])
        named = {word for span in SPAN.findall(body) for word in MODEL.findall(span)}
        if texts & named and named <= texts:
            edits.removed.update(range(number, last + 1))
            if last < len(lines.lines) and not lines.lines[last].strip():
                edits.removed.add(last + 1)
    return lines.edited(edits)


def _end_of_note(lines: DocsLines, number: int, indent: int) -> int:
    last = number
    for index, line in enumerate(lines.lines[number:], number + 1):
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        if line.strip():
            last = index
    return last


def without_enumerated(lines: DocsLines, texts: frozenset[str]) -> DocsLines:
    """The page without those of `texts` that stand, as code, between commas among others of their kind."""
    edits = LineEdits()
    for number, line in plain_lines(lines):
        if not line.lstrip().startswith("|"):
            shorter = line
            for text in sorted(text for text in texts if f"`{text}`" in line):
                named = NAMED.format(re.escape(text))
                shorter = re.sub(rf"{named}, (?={ANY})", "", shorter, count=1)
                shorter = re.sub(rf"(?<=[`)]), {named}(?! and | or )", "", shorter, count=1)
            if shorter != line:
                edits.replaced[number] = shorter
    return lines.edited(edits)
