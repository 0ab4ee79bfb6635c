"""The question `wrong-docs-cell`, and the cells as they should be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import DOCS_FOLDER, read_docs_tables
from analyzer.locations import Location
from codemods.docs.page import page_tick
from codemods.docs.row import cell, with_tick
from codemods.plan import Migrate
from retire_model.reports.differences import lines_of
from retire_model.review.question import Question
from retire_model.review.remark import Remark, Replacement, Severity
from rules.findings import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analyzer.engine.docs_tables import DocsTable, TableRow
    from analyzer.source.source_tree import SourceTree
    from retire_model.review.retired import Retired

COLUMNS = {"LoRA": Capability.LORA, "PP": Capability.PIPELINE_PARALLEL}


class WrongDocsCell(Question):
    """Whether a docs row that a change moves says truly what the backend offers.

    **What it does.** Looks at the rows of the models that a change retires to the Transformers modeling backend, in
    the tables of what that backend serves, and compares the columns for LoRA and pipeline parallel with the verdict.
    What reading cannot decide is left alone.

    **Why.** A row is moved as it stands, and its ticks were true of the hand-written module. Users find out at start.

    **How to mend.** Set or clear the cell.
    """

    code = "wrong-docs-cell"


@dataclass(frozen=True, slots=True)
class _Row:
    file: str
    table: DocsTable
    row: TableRow


def wrong_docs_cells(tree: SourceTree, retired: Sequence[Retired]) -> Iterator[Remark]:
    """A remark for each row with a cell that does not fit the verdict."""
    verdicts = {
        name: model.assessment.judgement.capabilities
        for model in retired
        for name, outcome in model.outcomes.items()
        if isinstance(outcome, Migrate)
    }
    for found in _rows(tree, frozenset(verdicts)) if verdicts else ():
        architecture = next(name for name in found.row.architectures if name in verdicts)
        text, wrong = found.row.text, list[str]()
        for title, capability in COLUMNS.items():
            column, offered = found.table.column(title), verdicts[architecture][capability].backend
            if column is None or offered is None or bool(cell(text, column)) is offered:
                continue
            text = with_tick(text, column, page_tick(read_docs_tables(tree, found.file)) if offered else "")
            wrong.append(f"{capability} is {'offered and not ticked' if offered else 'ticked and lost'}")
        if wrong:
            line = found.row.line
            end = lines_of(tree.read(found.file))[line - 1].removeprefix(found.row.text)
            yield Remark(
                Location(found.file, line),
                WrongDocsCell.code,
                Severity.WARNING,
                f"the row of {architecture} does not say what the backend offers: {', '.join(wrong)}",
                "Set the cells as the verdict has them.",
                (Replacement(found.file, line, line, (text + end,)),),
            )


def _rows(tree: SourceTree, names: frozenset[str]) -> Iterator[_Row]:
    for file in tree.walk(DOCS_FOLDER, frozenset({".md"})):
        if any(name.encode() in tree.read(file) for name in names):
            for table in read_docs_tables(tree, file):
                for row in table.rows if table.is_served_by_backend else ():
                    if not names.isdisjoint(row.architectures):
                        yield _Row(file, table, row)
