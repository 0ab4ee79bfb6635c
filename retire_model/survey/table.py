"""The rows as a table of text cells: what CSV and Markdown print."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from retire_model.reports.plain_text import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.survey.rows import Row

COLUMNS = (
    "module",
    "architectures",
    "verdict",
    "lines saved",
    "score",
    "lost",
    "gained",
    "needed by",
    "built by name in",
    "since",
    "tested",
    "in the way",
    "one mend",
)


def cells(row: Row) -> tuple[str, ...]:
    """One row, a cell a column."""
    around = row.around
    return (
        row.module,
        ", ".join(row.assessment.architectures),
        row.verdict.value,
        str(row.lines_saved),
        f"{row.score:.0f}",
        ", ".join(row.lost),
        ", ".join(row.gained),
        str(len(around.dependents)),
        str(len(around.builders)),
        around.since or "",
        "yes" if around.tested else "no",
        ", ".join(dict.fromkeys(finding.rule for finding in row.obstacles)),
        row.unlock or "",
    )


def as_csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Comma separated; a cell that a spreadsheet would take for a formula is made plain text."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([[f"'{c}" if c.startswith(("=", "+", "-", "@", "\t", "\r")) else c for c in row] for row in rows])
    return visible(text.getvalue()).rstrip("\n")


def as_markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [_line(header), _line(["---"] * len(header)), *(_line(row) for row in rows)]
    return visible("\n".join(lines))


def _line(row: Sequence[str]) -> str:
    plain = (cell.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ").replace("\r", " ") for cell in row)
    return f"| {' | '.join(plain)} |"
