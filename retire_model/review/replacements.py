"""Takes an edit apart into the lines that it replaces."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from retire_model.reports.differences import lines_of
from retire_model.review.remark import Replacement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codemods.edits import Rewrite


def replacements(edit: Rewrite) -> Iterator[Replacement]:
    """Each group of lines that `edit` replaces, in order."""
    before, after = lines_of(edit.before), lines_of(edit.after)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag != "equal":
            yield Replacement(edit.file, first + 1, last, tuple(after[start:end]))


def as_one(parts: Iterable[Replacement], data: bytes) -> Replacement:
    """One replacement that does what several of one file do, with the lines between them as they stand."""
    first, *rest = sorted(parts, key=lambda part: part.first)
    lines, text = lines_of(data), list(first.lines)
    last = first.last
    for part in rest:
        text += [*lines[last : part.first - 1], *part.lines]
        last = part.last
    return Replacement(first.file, first.first, last, tuple(text))


def applied(parts: Iterable[Replacement], data: bytes) -> bytes:
    """The content of a file after `parts`, which do not overlap."""
    lines = lines_of(data)
    for part in sorted(parts, key=lambda part: part.first, reverse=True):
        lines[part.first - 1 : part.last] = part.lines
    return "".join(lines).encode("utf-8", "surrogateescape")
