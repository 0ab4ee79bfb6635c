"""Looks at a tree after a change set was written: what still leads to what is gone, what does not parse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.engine.suppressions import Suppressions
from analyzer.errors import UnreadableSource
from analyzer.locations import Location
from analyzer.source.source_tree import SourceTree
from analyzer.uses.tree_facts import TreeFacts
from codemods.ci_paths import ci_paths_left
from codemods.dependents import dependents, described
from codemods.edits import Deletion
from codemods.registry.left import registry_left
from rules.lint.catalogue import find_faults
from rules.lint.dead_docs_row import DeadDocsRow
from rules.lint.misplaced_docs_row import MisplacedDocsRow
from rules.lint.undocumented_architecture import UndocumentedArchitecture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from codemods.edits import ChangeSet
    from codemods.plan import RetirementPlan
    from rules.lint.check import Fault

DOCS_CHECKS = frozenset(check.code for check in (DeadDocsRow, MisplacedDocsRow, UndocumentedArchitecture))


@dataclass(frozen=True, slots=True, order=True)
class Leftover:
    """A place that a change set left wrong."""

    location: Location
    message: str


def faults_of(tree: SourceTree) -> tuple[Fault, ...]:
    """The faults that a tree has by itself. Raises `UnreadableSource`."""
    return find_faults(TreeFacts(tree), Suppressions(tree))


def check_after(root: Path, plan: RetirementPlan, changes: ChangeSet, known: tuple[Fault, ...]) -> tuple[Leftover, ...]:
    """Everything in the tree at `root`, read anew, that the change set should not have left.

    `known` are the faults that the tree had before.
    """
    return tuple(sorted({*_leftovers(SourceTree(root), plan, changes), *_new_faults(SourceTree(root), plan, known)}))


def _new_faults(tree: SourceTree, plan: RetirementPlan, known: tuple[Fault, ...]) -> Iterator[Leftover]:
    had = {(fault.check, fault.message) for fault in known}
    ignored = DOCS_CHECKS if plan.skip_docs else frozenset[str]()
    try:
        faults = faults_of(tree)
    except UnreadableSource:
        # What does not parse is told by its file.
        return
    for fault in faults:
        if (fault.check, fault.message) not in had and fault.check not in ignored:
            yield Leftover(fault.location, f"{fault.message} [{fault.check}]")


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
    for mention in registry_left(plan, tree.parse(REGISTRY_FILE)):
        yield Leftover(mention.location, f"the registry still names {mention.module}, which is gone")
    deleted = [edit.file for edit in changes.edits if isinstance(edit, Deletion)]
    for place, file in ci_paths_left(tree, deleted):
        yield Leftover(place, f"CI still names {file}, which is gone")
    for reference in dependents(plan, tree):
        yield Leftover(reference.location, described(reference))
