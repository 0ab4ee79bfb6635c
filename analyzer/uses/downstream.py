"""Finds what trees outside the engine, such as plugins, take of modules of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import WrongUse
from analyzer.source.source_tree import SourceTree
from analyzer.uses.references import find_references

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from analyzer.uses.reference import Reference


@dataclass(frozen=True, slots=True)
class DownstreamReference:
    """One place of a tree outside that needs a module of the engine."""

    root: Path
    """The tree, as it was named."""
    reference: Reference
    """Its file is relative to the tree."""

    @property
    def place(self) -> str:
        """The file and line, from where the command was run."""
        return str(Path(self.root) / str(self.reference.location))


def downstream_references(paths: Sequence[Path], modules: Iterable[str]) -> tuple[DownstreamReference, ...]:
    """Every place in the trees at `paths` that needs one of `modules`, named as the engine's registry names them.

    Raises `WrongUse` for a path that is no folder, `UnreadableSource` for a file in which a string may name one and
    that cannot be parsed.
    """
    for path in paths:
        if not path.is_dir():
            raise WrongUse(f"--downstream {path}: there is no such folder", "Name the root of a plugin's tree.")
    wanted = tuple(modules)
    return tuple(DownstreamReference(p, found) for p in paths for found in find_references(SourceTree(p), wanted))
