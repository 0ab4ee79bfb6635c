"""One docs page whose rows are moved: decides for each row, collects the line edits, checks what comes out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import code_spans
from analyzer.errors import BrokenEdit, EnvironmentProblem
from codemods.docs.lines import DocsLines, LineEdits
from codemods.docs.row import cell, is_misread, with_names, with_tick
from codemods.order import family_order
from codemods.plan import Migrate, Plugin, Remove

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.engine.docs_tables import DocsTable, TableRow
    from codemods.plan import RetiredArchitecture

TICK = "\u2705\ufe0e"
"""Where the page itself has none to copy."""


class DocsPage:
    """Moves rows on one page. Line numbers are those of the page as it was."""

    def __init__(self, file: str, lines: DocsLines) -> None:
        self.file = file
        self.lines = lines
        self.touched: list[str] = []
        self.plugin_rows: list[str] = []
        """Rows for the table of plugins, wherever that is."""
        self._edits = LineEdits()
        self._arriving: list[tuple[int, tuple[str, str], str]] = []

    def move(self, architectures: Iterable[RetiredArchitecture]) -> None:
        """Take every row of `architectures` to where it belongs."""
        retired = {architecture.name: architecture for architecture in architectures}
        for table in self.lines.tables:
            for row in table.rows if table.lists_architectures else ():
                leaving = [retired[name] for name in row.architectures if name in retired]
                self._move_row(table, row, [a for a in leaving if self._leaves(table, a)])

    def _leaves(self, table: DocsTable, architecture: RetiredArchitecture) -> bool:
        match architecture.outcome:
            case Migrate():
                return not table.is_served_by_backend and self._beside(table) is not None
            case Plugin():
                return not table.is_served_by_plugins
            case Remove():
                return True

    def _beside(self, table: DocsTable) -> DocsTable | None:
        """The table of what the backend serves, under the same headings."""
        tables = (other for other in self.lines.tables if other.headings == table.headings)
        return next((other for other in tables if other.is_served_by_backend), None)

    def _move_row(self, table: DocsTable, row: TableRow, leaving: list[RetiredArchitecture]) -> None:
        if not leaving:
            return
        gone = frozenset(architecture.name for architecture in leaving)
        if not all(isinstance(a.outcome, Remove) for a in leaving) and is_misread(row.text, len(table.header)):
            raise EnvironmentProblem(
                f"{self.file}:{row.line}: the docs row of {', '.join(sorted(gone))} has other cells than its table",
                "Write | inside a cell as \\|, and no more cells than the header has.",
            )
        self.touched.extend(gone)
        if gone.issuperset(row.architectures):
            self._edits.removed.add(row.line)
        else:
            self._edits.replaced[row.line] = with_names(row.text, gone, keep=False)
        for alike in _alike(leaving):
            names = frozenset(architecture.name for architecture in alike)
            text = row.text if names.issuperset(row.architectures) else with_names(row.text, names, keep=True)
            match alike[0].outcome:
                case Migrate():
                    self._to_backend_table(table, text, alike[0])
                case Plugin(address):
                    self.plugin_rows.append(_plugin_row(text, address))
                case Remove():
                    pass

    def _to_backend_table(self, table: DocsTable, text: str, architecture: RetiredArchitecture) -> None:
        target = self._beside(table)
        if target is None or target.titles != table.titles:
            raise EnvironmentProblem(
                f"the docs tables in lines {table.line} and {target.line if target else 0} of {self.file} "
                "have different columns",
                "Give both the same columns first.",
            )
        capabilities = {"LoRA": architecture.supports_lora, "PP": architecture.supports_pipeline_parallel}
        for title, supported in capabilities.items():
            if (column := target.column(title)) is not None:
                text = with_tick(text, column, page_tick(self.lines.tables) if supported else "")
        self._arrive(target, text)

    def add_plugin_rows(self, rows: Iterable[str]) -> None:
        """Put rows into this page's table of plugins; an architecture that is there already has its row."""
        target = next((table for table in self.lines.tables if table.is_served_by_plugins), None)
        known = {name for row in target.rows for name in row.architectures} if target else set[str]()
        for row in rows:
            if target is not None and known.isdisjoint(names := code_spans(cell(row, 0))):
                known.update(names)
                self._arrive(target, row)

    def _arrive(self, target: DocsTable, text: str) -> None:
        order = family_order(code_spans(cell(text, 0))[0])
        after = target.line + 1
        for row in target.rows:
            if row.architectures and family_order(row.architectures[0]) > order:
                break
            after = row.line
        self._arriving.append((after, order, text))

    def finished(self) -> DocsLines:
        """The page as it is to be. Raises `BrokenEdit` where the tables would not come out as intended."""
        for after, _, text in sorted(self._arriving):
            self._edits.inserted[after].append(text)
        edited = self.lines.edited(self._edits)
        if [(table.header, [row.text for row in table.rows]) for table in edited.tables] != [
            (table.header, list(self._intended_rows(table))) for table in self.lines.tables
        ]:
            raise BrokenEdit(
                "the edit of a docs table would change other rows", "Nothing is written; please report it."
            )
        return edited

    def _intended_rows(self, table: DocsTable) -> Iterator[str]:
        yield from self._edits.inserted.get(table.line + 1, ())
        for row in table.rows:
            if row.line not in self._edits.removed:
                yield self._edits.replaced.get(row.line, row.text)
            yield from self._edits.inserted.get(row.line, ())


def page_tick(tables: Iterable[DocsTable]) -> str:
    """The sign by which a page with these tables says yes."""
    cells = Counter(
        row.cells[column]
        for table in tables
        for column in (table.column("LoRA"), table.column("PP"))
        for row in (table.rows if column is not None else ())
        if column is not None and row.cells[column]
    )
    return max(cells, key=cells.__getitem__) if cells else TICK


def _alike(architectures: list[RetiredArchitecture]) -> list[list[RetiredArchitecture]]:
    """The architectures of a row in groups that share a row afterwards as well."""
    groups: dict[tuple[object, ...], list[RetiredArchitecture]] = {}
    for architecture in architectures:
        outcome = type(architecture.outcome)
        key = (outcome, architecture.supports_lora, architecture.supports_pipeline_parallel)
        groups.setdefault(key, []).append(architecture)
    return list(groups.values())


def _plugin_row(text: str, address: str) -> str:
    first, models = (cell(text, column) for column in (0, 1))
    return f"| {first} | {models} | [{address.rstrip('/').rpartition('/')[2]}]({address}) |"
