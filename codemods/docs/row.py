"""One row of a docs table as text: changes a cell and leaves the others as they stand."""

from __future__ import annotations

import re

from analyzer.engine.docs_tables import code_spans

CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
SEGMENT = re.compile(r"(?:[^,`]|`[^`]*`|`)+")


def cell_spans(row: str) -> list[tuple[int, int]]:
    """The start and end of each cell of `row`, blanks included, where `markdown-it` sees cells."""
    spans, start, escaped = list[tuple[int, int]](), 0, False
    for position, character in enumerate(row):
        if character == "|" and not escaped:
            spans.append((start, position))
            start = position + 1
        escaped = character == "\\"
    spans.append((start, len(row)))
    if len(spans) > 1 and not row[slice(*spans[0])].strip():
        del spans[0]
    if len(spans) > 1 and not row[slice(*spans[-1])].strip():
        del spans[-1]
    return spans


def cell(row: str, column: int) -> str:
    """The content of a cell as it is written, without the blanks around it; empty where the row is too short."""
    spans = cell_spans(row)
    return row[slice(*spans[column])].strip() if column < len(spans) else ""


def is_misread(row: str, columns: int) -> bool:
    """Whether the parser sees other cells than were meant: more than the header has, or a code span cut in two."""
    cells = [row[slice(*span)] for span in cell_spans(row)]
    return len(cells) > columns or any("`" in CODE_SPAN.sub("", text.replace("\\`", "")) for text in cells)


def with_tick(row: str, column: int, tick: str) -> str:
    """`row` with `tick`, which may be empty, between single blanks in `column`; as it stands where it says that."""
    if cell(row, column) == tick or (tick and tick in cell(row, column)):
        return row
    while len(cell_spans(row)) <= column:
        row = row.rstrip() + (" |" if row.rstrip().endswith("|") else " | |")
    start, end = cell_spans(row)[column]
    return row[:start] + (f" {tick} " if tick else " ") + row[end:]


def with_names(row: str, wanted: frozenset[str], *, keep: bool, column: int = 0) -> str:
    """`row` with those parts of a cell that name one of `wanted` (or, unless `keep`, without them)."""
    start, end = cell_spans(row)[column]
    parts = [part.strip() for part in SEGMENT.findall(row[start:end])]
    left = [part for part in parts if bool(wanted.intersection(code_spans(part))) is keep]
    return f"{row[:start]} {', '.join(left)} {row[end:]}"
