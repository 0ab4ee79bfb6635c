"""Finishes by machine what a change began by hand: the tool's own plan, with the author's edits in place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource
from codemods.catalogue import carry_out
from codemods.dependents import dependents
from codemods.edits import Creation, Deletion, Draft, Edit, Rewrite
from codemods.planner import plan_as_decided
from codemods.registry.entries import drop_left_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analyzer.source.source_tree import SourceTree
    from codemods.plan import RetirementPlan
    from retire_model.review.change import Change
    from retire_model.review.retired import Retired


def plan_for(change: Change, retired: Sequence[Retired]) -> RetirementPlan:
    """The plan that the author seems to have had; a module that the changed tree still needs keeps its files."""
    outcomes = {name: outcome for model in retired for name, outcome in model.outcomes.items()}
    plan = plan_as_decided(change.base, [model.assessment for model in retired], outcomes)
    gone = [module for module in plan.modules if any(not change.head.files.exists(file) for file in module.files)]
    needed = {reference.subject for reference in dependents(plan, change.head.files)}
    kept = {module.name for module in plan.modules if module.name in needed and module not in gone}
    return replace(plan, modules=tuple(replace(m, files=() if m.name in kept else m.files) for m in plan.modules))


def author_draft(change: Change) -> Draft:
    """The base as the author left it.

    The codemods look in the base for what belongs to a model, which the author may have taken away in part.
    """
    draft = Draft(change.base.files)
    for path in change.lines.paths:
        after = content(change.head.files, path)
        if after is not None:
            draft.rewrite(path, after, "")
        elif draft.exists(path):
            draft.delete(path, "")
    return draft


def finish(plan: RetirementPlan, draft: Draft) -> None:
    """Put what is left to do of `plan` into `draft`. Raises the errors of the codemods."""
    drop_left_entries(plan, draft)
    carry_out(plan, draft)


def missing_edits(change: Change, draft: Draft) -> Iterator[Edit]:
    """What leads from the changed tree to the draft."""
    for file in sorted({*change.lines.paths, *(edit.file for edit in draft.change_set().edits)}):
        before = content(change.head.files, file)
        after = draft.read(file) if draft.exists(file) else None
        reasons = tuple(reason for reason in draft.reasons(file) if reason)
        if before == after:
            continue
        if after is None:
            yield Deletion(file, before or b"", reasons)
        elif before is None:
            yield Creation(file, after, reasons)
        else:
            yield Rewrite(file, before, after, reasons)


def content(tree: SourceTree, file: str) -> bytes | None:
    """The bytes of `file`; None where the tree has none that are read."""
    try:
        return tree.read(file) if tree.exists(file) else None
    except UnreadableSource:
        return None
