"""Which trees serve the model before and after, and by which class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from analyzer.engine.registry import TRANSFORMERS_SUPPORTED
from analyzer.errors import WrongUse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.engine.registry import RegistryEntry

BEFORE, AFTER, CONTROL = "before", "after", "control"
BACKEND = "Transformers"
"""What the names of the backend's classes begin with."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One way to serve an architecture."""

    name: str
    tree: EngineTree
    changes: Mapping[str, bytes | None]
    """What is run in place of the tree's own files: by file, None where it is gone."""
    implementation: str
    """The engine's option `model_impl`."""
    expected: str
    """The class that is to serve it, or what its name begins with."""

    @property
    def told(self) -> str:
        """For the report."""
        by = "any class of the backend" if self.expected == BACKEND else self.expected
        asked = ", asked for with model_impl" if self.implementation == "transformers" else ""
        root = str(self.tree.root).replace("\n", "\\n")
        return f"{root} by {by}{asked}"

    def served_as_expected(self, class_name: str) -> bool:
        """Whether that class is the one meant."""
        return class_name.startswith(BACKEND) if self.expected == BACKEND else class_name == self.expected


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Both; no before where the tree has no bespoke class any more."""

    before: Side | None
    after: Side

    def __iter__(self) -> Iterator[Side]:
        """Those that there are."""
        return (side for side in (self.before, self.after) if side is not None)


def sides_of(architecture: str, before: EngineTree, after: EngineTree | None) -> Sides:
    """How the trees serve the architecture. Without a tree of after, the backend of before is asked for.

    Raises `WrongUse` where a tree does not serve it as it should.
    """
    bespoke = _entry(before, architecture, bespoke=True)
    first = None if bespoke is None else Side(BEFORE, before, {}, "auto", _class(bespoke))
    if after is None:
        if bespoke is not None:
            return Sides(first, Side(AFTER, before, {}, "transformers", BACKEND))
        return Sides(None, _served(before, architecture))
    return Sides(first, _served(after, architecture))


def written_sides(
    architecture: str, before: EngineTree, after: EngineTree, earlier: Mapping[str, bytes | None]
) -> Sides:
    """Both sides of a tree that has been rewritten: `before` is how it was read, `earlier` what its files were."""
    sides = sides_of(architecture, before, after)
    first = sides.before
    return Sides(None if first is None else replace(first, changes=earlier), sides.after)


def _served(tree: EngineTree, architecture: str) -> Side:
    if _entry(tree, architecture, bespoke=True) is not None:
        raise WrongUse(
            f"{tree.root} still serves {architecture} by a class of its own",
            "Name the rewritten tree with --after, or leave it out: then the backend is asked for.",
        )
    entry = _entry(tree, architecture, bespoke=False)
    return Side(AFTER, tree, {}, "auto", BACKEND if entry is None else _class(entry))


def _entry(tree: EngineTree, architecture: str, *, bespoke: bool) -> RegistryEntry | None:
    entries = tree.registry.bespoke_entries() if bespoke else tree.registry.live_entries()
    served = (e for e in entries if e.architecture == architecture)
    return next((e for e in served if bespoke or e.dictionary == TRANSFORMERS_SUPPORTED), None)


def _class(entry: RegistryEntry) -> str:
    return entry.class_name or BACKEND
