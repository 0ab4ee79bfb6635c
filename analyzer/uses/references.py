"""Finds what else in an engine tree needs a bespoke module or an architecture: imports, and strings that name them.

The registries themselves do not count: that they name a model is what a retirement changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.source.nesting import follow
from analyzer.source.source_scan import python_files, read_bytes
from analyzer.uses.file_references import FileReader
from analyzer.uses.wanted import Wanted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analyzer.source.source_tree import SourceTree
    from analyzer.uses.reference import Reference


def find_references(
    tree: SourceTree, modules: Iterable[str] = (), architectures: Iterable[str] = (), below: str = ""
) -> tuple[Reference, ...]:
    """Every reference from outside to `modules` and to `architectures`, in order; one pass for all.

    Only files of the folder `below` are looked at, all without one. Raises `UnreadableSource` for a file that seems to
    hold a string that names one of them and cannot be parsed, or that cannot be read.
    """
    wanted = Wanted.of(modules, architectures)
    found: set[Reference] = set()
    for name, data in python_files(tree.root / below) if wanted.paths or wanted.architectures else ():
        found.update(_read_file(f"{below}/{name}" if below else name, data, wanted))
    return tuple(sorted(found))


def references_from(tree: SourceTree, files: Iterable[str], modules: Iterable[str]) -> tuple[Reference, ...]:
    """The references to `modules` from these files of the tree, in order. Raises `UnreadableSource`."""
    wanted = Wanted.of(modules, ())
    found: set[Reference] = set()
    for file in files:
        found.update(_read_file(file, read_bytes(str(tree.root / file)), wanted))
    return tuple(sorted(found))


def references_in(file: str, data: bytes, modules: Iterable[str]) -> tuple[Reference, ...]:
    """The references to `modules` from one file with the content `data`. Raises `UnreadableSource`."""
    with follow(file):
        return tuple(sorted(set(FileReader(file, data, Wanted.of(modules, ())).read())))


def _read_file(file: str, data: bytes, wanted: Wanted) -> frozenset[Reference]:
    with follow(file):
        return frozenset(FileReader(file, data, wanted).read() if file != REGISTRY_FILE else ())
