"""Looks at a tree after a change set was written: what still leads to what is gone, what does not parse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource
from analyzer.locations import Location
from analyzer.registry import read_registry
from analyzer.source_tree import SourceTree
from codemods.dependents import dependents, described
from codemods.edits import Deletion

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from codemods.edits import ChangeSet
    from codemods.plan import RetirementPlan


@dataclass(frozen=True, slots=True, order=True)
class Leftover:
    """A place that a change set left wrong."""

    location: Location
    message: str


def check_after(root: Path, plan: RetirementPlan, changes: ChangeSet) -> tuple[Leftover, ...]:
    """Everything in the tree at `root`, read anew, that the change set should not have left."""
    return tuple(sorted(_leftovers(SourceTree(root), plan, changes)))


def _leftovers(tree: SourceTree, plan: RetirementPlan, changes: ChangeSet) -> Iterator[Leftover]:
    for edit in changes.edits:
        if isinstance(edit, Deletion):
            if tree.exists(edit.file):
                yield Leftover(Location(edit.file, 1), "is still there")
        elif edit.file.endswith(".py"):
            try:
                tree.parse(edit.file)
            except UnreadableSource as error:
                yield Leftover(Location(edit.file, 1), error.problem)
    gone = {module.name for module in plan.modules if module.files}
    for entry in read_registry(tree).live_entries():
        if entry.module in gone:
            yield Leftover(entry.location, f"{entry.architecture} still points at {entry.module}, which is gone")
    for reference in dependents(plan, tree):
        yield Leftover(reference.location, described(reference))
