"""Finds which architectures no row of a docs table is about, and where the docs name them all the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import DOCS_FOLDER, LINE_END
from analyzer.engine.documented_architectures import read_documented_architectures
from analyzer.locations import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.source.source_tree import SourceTree


@dataclass(frozen=True, slots=True)
class Undocumented:
    """An architecture without a row."""

    architecture: str
    named: tuple[Location, ...]
    """Where a page names it, as a table in HTML does, or a row that has it in no code span."""


def find_undocumented(tree: SourceTree, architectures: Iterable[str]) -> tuple[Undocumented, ...]:
    """Those of `architectures` that no row is about; all where the tree has no docs. Raises `UnreadableSource`."""
    documented = {row.name for row in read_documented_architectures(tree)}
    without = [name for name in architectures if name not in documented]
    return tuple(Undocumented(name, tuple(_named(tree, name))) for name in without)


def _named(tree: SourceTree, name: str) -> Iterator[Location]:
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for page in tree.walk(DOCS_FOLDER, frozenset({".md"})):
        data = tree.read(page)
        if name.encode() in data:
            for number, line in enumerate(LINE_END.split(data.decode("utf-8", "replace")), 1):
                if (found := word.search(line)) is not None:
                    yield Location(page, number, found.start() + 1)
