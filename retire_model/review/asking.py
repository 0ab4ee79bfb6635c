"""Asks everything of a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.suppressions import Suppressions
from analyzer.errors import RetireModelError
from retire_model.review.completion import author_draft, finish, missing_edits, plan_for
from retire_model.review.docs_cells import wrong_docs_cells
from retire_model.review.incomplete import incomplete
from retire_model.review.lost_test_entry import restore_test_entries
from retire_model.review.mended_tree import faults_left
from retire_model.review.needless_module import added_entries, needless_modules
from retire_model.review.replacements import applied
from retire_model.review.retired import retired_models
from retire_model.review.unmentioned_loss import unmentioned_losses
from rules.lint.untested_architecture import UntestedArchitecture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codemods.edits import Draft, Edit
    from retire_model.review.change import Change
    from retire_model.review.remark import Remark
    from retire_model.review.retired import Retired


@dataclass(frozen=True, slots=True)
class Answers:
    """All that is to be said of a change."""

    remarks: tuple[Remark, ...]
    edits: tuple[Edit, ...]
    """What would mend all that a machine can mend, one edit a file, against the changed tree."""
    retired: tuple[Retired, ...]
    unasked: tuple[str, ...]
    """What was not looked at, and why."""


def ask(change: Change) -> Answers:
    """Ask every question. Raises `WrongUse` and `UnreadableSource` as `lint` does."""
    unasked: list[str] = []
    added = list(added_entries(change.base.registry, change.head.registry))
    remarks = list(needless_modules(added, change.base.registry, change.head, change.sources))
    retired = _retired(change, unasked)
    cells = list(wrong_docs_cells(change.head.files, retired))
    edits = tuple(missing_edits(change, _mended(change, retired, cells, unasked)))
    left = faults_left(change.head.root, edits) if edits and change.new_faults else None
    remarks += [*incomplete(edits, change.new_faults, left, cells), *cells, *unmentioned_losses(change, retired)]
    silenced = Suppressions(change.head.files)
    heard = (remark for remark in remarks if not silenced.silences(remark.code, remark.location))
    ordered = sorted(heard, key=lambda remark: (remark.location, remark.code, remark.message))
    return Answers(tuple(ordered), edits, retired, tuple(unasked))


def _retired(change: Change, unasked: list[str]) -> tuple[Retired, ...]:
    if not change.sources:
        return ()
    try:
        return tuple(retired_models(change))
    except RetireModelError as error:
        unasked.append(f"what is retired: {error.problem}")
        return ()


def _mended(change: Change, retired: Sequence[Retired], cells: Sequence[Remark], unasked: list[str]) -> Draft:
    """The base as the author left it, and with what mends that; of a plan that cannot be carried out nothing."""
    draft = _with_small_mends(change, cells)
    plan = plan_for(change, retired)
    try:
        finish(plan, draft)
    except RetireModelError as error:
        names = ", ".join(module.name for module in plan.modules)
        unasked.append(f"what the retirement of {names} leaves to do: {error.problem}")
        return _with_small_mends(change, cells)
    return draft


def _with_small_mends(change: Change, cells: Sequence[Remark]) -> Draft:
    draft = author_draft(change)
    if any(fault.check == UntestedArchitecture.code for fault in change.new_faults):
        restore_test_entries(change, draft)
    for cell in cells:
        file = cell.location.file
        draft.rewrite(file, applied(cell.fix, draft.read(file)), cell.message)
    return draft
