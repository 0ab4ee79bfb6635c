"""Which architectures a checkpoint stands for: as the engine's test registry and its pages of models say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import SUPPORTED_MODELS_PAGE, code_spans, read_docs_tables
from analyzer.engine.test_registry import tested_architectures
from analyzer.errors import UnreadableSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree

_PAGES = SUPPORTED_MODELS_PAGE.rpartition("/")[0]
_CHECKPOINT = re.compile(rb"`([\w.-]+/[\w.-]+)`")


def architectures_of_checkpoint(tree: SourceTree, checkpoint: str) -> Iterator[str]:
    """The architectures, first those of the test registry; none where neither names the checkpoint."""
    yield from (entry.architecture for entry in tested_architectures(tree) if checkpoint in entry.checkpoints)
    for page in _pages(tree):
        if f"`{checkpoint}`".encode() in tree.read(page):
            for row in (row for table in read_docs_tables(tree, page) for row in table.rows):
                if any(checkpoint in code_spans(cell) for cell in row.cells[1:]):
                    yield from row.architectures


def known_checkpoints(tree: SourceTree) -> frozenset[str]:
    """Every checkpoint that they name."""
    told = frozenset(name.decode() for page in _pages(tree) for name in _CHECKPOINT.findall(tree.read(page)))
    return told.union(*(entry.checkpoints for entry in tested_architectures(tree)))


def _pages(tree: SourceTree) -> tuple[str, ...]:
    try:
        return tuple(tree.walk(_PAGES, frozenset({".md"})))
    except UnreadableSource:
        return ()
