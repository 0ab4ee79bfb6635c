"""Edits as unified differences."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from codemods.edits import Creation, Deletion

if TYPE_CHECKING:
    from codemods.edits import Edit

NO_END = "\\ No newline at end of file\n"


def unified_diff(edit: Edit) -> str:
    """The difference that `edit` makes, with paths from the root of the tree, as `git apply` takes it."""
    before = b"" if isinstance(edit, Creation) else edit.before
    after = b"" if isinstance(edit, Deletion) else edit.after
    old = "/dev/null" if isinstance(edit, Creation) else f"a/{edit.file}"
    new = "/dev/null" if isinstance(edit, Deletion) else f"b/{edit.file}"
    lines = difflib.unified_diff(lines_of(before), lines_of(after), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_END}" for line in lines)


def lines_of(data: bytes) -> list[str]:
    """The lines of a file as git sees them: only a line feed ends one, so that CRLF and form feeds stay inside."""
    *lines, rest = data.decode("utf-8", "surrogateescape").split("\n")
    return [f"{line}\n" for line in lines] + ([rest] if rest else [])


def count_lines(edit: Edit) -> tuple[int, int]:
    """How many lines `edit` adds and removes."""
    if isinstance(edit, Deletion):
        return 0, len(lines_of(edit.before))
    if isinstance(edit, Creation):
        return len(lines_of(edit.after)), 0
    added = removed = 0
    for line in unified_diff(edit).splitlines()[2:]:
        added += line.startswith("+")
        removed += line.startswith("-")
    return added, removed
