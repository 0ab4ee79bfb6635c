"""Reads the tables of a Markdown page: where each stands, what its rows say, which architectures they are about.

Lines and cells are those that `markdown-it-py` sees, so that code blocks, HTML and escaped pipes are no tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from analyzer.source.source_tree import SourceTree

DOCS_FOLDER = "docs"
SUPPORTED_MODELS_PAGE = "docs/models/supported_models.md"
SERVED_BY_BACKEND = re.compile(r"\bonly\b[^.]*\bTransformers\b[^.]*\bbackend\b")
"""As in "Some models are supported only via the [Transformers modeling backend](#transformers)." """
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row below the header of a table."""

    line: int
    """Counted from 1."""
    text: str
    """The line as it stands, without its end."""
    cells: tuple[str, ...]
    """As many as the header has, without the blanks around them."""

    @property
    def architectures(self) -> tuple[str, ...]:
        """The code spans of the first cell: the architectures that the row is about."""
        return code_spans(self.cells[0]) if self.cells else ()


@dataclass(frozen=True, slots=True)
class DocsTable:
    """A table, the headings it stands under and the paragraph right above it."""

    headings: tuple[str, ...]
    """From the outermost inwards, as they are written."""
    introduction: str
    """The paragraph that ends right above the table; empty where something else does."""
    header: tuple[str, ...]
    line: int
    """The line of the header, counted from 1; the delimiter row is the next one."""
    rows: tuple[TableRow, ...]

    @property
    def titles(self) -> tuple[str, ...]:
        """The header as plain text: `LoRA` for `[LoRA](../features/lora.md)`."""
        return tuple(LINK.sub(r"\1", cell) for cell in self.header)

    def column(self, title: str) -> int | None:
        """The index of the column with that title."""
        return self.titles.index(title) if title in self.titles else None

    @property
    def lists_architectures(self) -> bool:
        """Whether the first column names architectures."""
        return self.column("Architecture") == 0

    @property
    def is_served_by_backend(self) -> bool:
        """Whether the table lists what only the Transformers modeling backend serves."""
        return self.lists_architectures and SERVED_BY_BACKEND.search(self.introduction) is not None

    @property
    def is_served_by_plugins(self) -> bool:
        """Whether the table lists what plugins outside the tree serve."""
        return self.lists_architectures and self.titles[-1].startswith("Plugin")


def read_docs_tables(tree: SourceTree, file: str) -> tuple[DocsTable, ...]:
    """The tables of the page `file`. Raises `UnreadableSource` where the page is missing."""
    return tables_of(tree.read(file).decode("utf-8-sig", "surrogateescape"))


def tables_of(text: str) -> tuple[DocsTable, ...]:
    """The tables of a Markdown text."""
    return tuple(_tables(_block_parser().parse(text), LINE_END.split(text)))


def code_spans(cell: str) -> tuple[str, ...]:
    """The contents of the code spans of a cell."""
    if "`" not in cell:
        return ()
    inline = _code_span_parser().parseInline(cell)[0].children or []
    return tuple(token.content for token in inline if token.type == "code_inline")


def _tables(tokens: list[Token], lines: list[str]) -> Iterator[DocsTable]:
    headings: list[tuple[int, str]] = []
    paragraph, paragraph_end = "", -1
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            level = int(token.tag[1:])
            headings = [known for known in headings if known[0] < level]
            headings.append((level, tokens[index + 1].content))
        elif token.type == "paragraph_open" and token.map:
            paragraph, paragraph_end = tokens[index + 1].content, index + 2
        elif token.type == "table_open" and token.map:
            introduction = paragraph if paragraph_end == index - 1 else ""
            header, *rows = _rows(tokens, index, lines)
            yield DocsTable(tuple(text for _, text in headings), introduction, header.cells, header.line, tuple(rows))


def _rows(tokens: list[Token], start: int, lines: list[str]) -> Iterator[TableRow]:
    cells: list[str] = []
    for token in tokens[start:]:
        if token.type == "inline":
            cells.append(token.content)
        elif token.type == "tr_open" and token.map:
            cells, line = [], token.map[0]
        elif token.type == "tr_close":
            yield TableRow(line + 1, lines[line], tuple(cells))
        elif token.type == "table_close":
            return


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Cells and headings are wanted as they are written: taking them apart would cost ten times the rest.
    return MarkdownIt("commonmark").enable("table").disable("inline")


@cache
def _code_span_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("zero").enable(["backticks", "escape"])
