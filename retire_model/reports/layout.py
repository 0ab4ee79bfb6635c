"""How reports stand on the page: columns, and long lines that go on below where they began.

On a terminal lines are broken at its width; in a pipe or a file each stays one line, as `grep` wants it.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from retire_model.reports.plain_text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

GAP = 3
"""Blanks between columns."""
NARROWEST = 28
"""The width below which a last column goes to a line of its own."""


class _Console(Console):
    def print(self, *objects: Any, **options: Any) -> None:
        """Print, with nothing in a text that a terminal would obey: it may hold lines of a stranger's tree."""
        for found in objects:
            if isinstance(found, Text):
                found.plain = visible(found.plain)
        super().print(*objects, **options)


def console() -> Console:
    """Standard output. Text of a tree never counts as markup; lines are left whole, as diffs and paths must be."""
    return _Console(highlight=False, markup=False, emoji=False, soft_wrap=True)


def line_width() -> int | None:
    """The width at which lines are broken; None where standard output is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def joined(lines: Iterable[Text]) -> Text:
    """The lines below one another."""
    return Text("\n").join(lines)


def hanging(line: Text, indent: int = 0) -> Iterator[Text]:
    """`line`, broken where the terminal ends; what is left over begins at column `indent`."""
    width = line_width()
    if width is None or line.cell_len <= width:
        yield line
        return
    head, body = line[:indent], line[indent:]
    for part in _broken(body, max(width - indent, NARROWEST)):
        yield Text.assemble(head, part)
        head = Text(" " * indent)


def _broken(text: Text, width: int) -> Iterator[Text]:
    """`text` cut between words; a path is never cut."""
    lines = textwrap.wrap(text.plain, width, break_long_words=False, break_on_hyphens=False, drop_whitespace=False)
    start = 0
    for number, line in enumerate(lines):
        blank = len(line) - len(line.lstrip()) if number else 0
        part = text[start + blank : start + len(line)]
        part.rstrip()
        start += len(line)
        if part.plain:
            yield part


def aligned(rows: Sequence[Sequence[Text]]) -> Iterator[Text]:
    """The rows with their columns below one another; nothing is cut, a long last column goes on below itself."""
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    before = sum(widths[:-1]) + GAP * (len(widths) - 1)
    width = line_width()
    for row in rows:
        line = Text()
        for cell, wide in zip(row, widths, strict=True):
            line = Text.assemble(line, cell, " " * (wide - cell.cell_len + GAP))
        line.rstrip()
        if width is None or width - before >= NARROWEST:
            yield from hanging(line, before)
        else:
            yield from _on_two_lines(line, before)


def _on_two_lines(line: Text, before: int) -> Iterator[Text]:
    """`line` with what stands at column `before` below the rest, where the terminal is too narrow for both."""
    width = line_width()
    if width is None or line.cell_len <= width:
        yield line
        return
    first = line[:before]
    first.rstrip()
    yield first
    yield from hanging(Text.assemble(" " * 9, line[before:]), 9)
