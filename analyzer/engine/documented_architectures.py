"""Reads which architectures the docs list: the first columns of all tables that are about architectures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import DOCS_FOLDER, read_docs_tables
from analyzer.locations import Location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree

HEADER = re.compile(rb"^[^\n]*Architecture[^\n]*\|", re.MULTILINE)
"""What the header of such a table has in it; other pages are not parsed."""
MODELS_DOCS = "docs/models/"
"""The pages that are there to say what is supported; others list architectures for what they explain."""


@dataclass(frozen=True, slots=True)
class DocumentedArchitecture:
    """One name in the first cell of a row."""

    name: str
    location: Location
    by_plugin: bool
    """The table is about what plugins outside the tree serve."""
    by_backend: bool
    """The table is about what only the Transformers modeling backend serves."""
    beside_backend: bool
    """The table is another one, and such a table stands under the same headings."""

    @property
    def is_pattern(self) -> bool:
        """The name stands for many, as `*ForCausalLM` does."""
        return "*" in self.name

    @property
    def says_supported(self) -> bool:
        """Whether the page is one of those that say what is supported."""
        return self.location.file.startswith(MODELS_DOCS)


def read_documented_architectures(tree: SourceTree) -> tuple[DocumentedArchitecture, ...]:
    """Every architecture that a docs table lists, in order; none where the tree has no docs.

    Raises `UnreadableSource` for a page that cannot be read.
    """
    return tuple(_documented(tree))


def _documented(tree: SourceTree) -> Iterator[DocumentedArchitecture]:
    for file in tree.walk(DOCS_FOLDER, frozenset({".md"})):
        if HEADER.search(tree.read(file)) is None:
            continue
        tables = [table for table in read_docs_tables(tree, file) if table.lists_architectures]
        backends = {table.headings for table in tables if table.is_served_by_backend}
        for table in tables:
            beside = not table.is_served_by_backend and table.headings in backends
            kinds = table.is_served_by_plugins, table.is_served_by_backend, beside
            for row in table.rows:
                for name in row.architectures:
                    place = Location(file, row.line, row.text.find(name) + 1)
                    yield DocumentedArchitecture(name, place, *kinds)
