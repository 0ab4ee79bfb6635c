"""The question `incomplete-retirement`: what the tool's own plan would still edit, told at the lines it would edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.locations import Location
from codemods.edits import Rewrite
from retire_model.review.question import Question
from retire_model.review.remark import Remark, Replacement, Severity
from retire_model.review.replacements import replacements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from codemods.edits import Edit
    from retire_model.baseline import Known
    from rules.lint.check import Fault


class IncompleteRetirement(Question):
    """Whether a change that retires a model does all that belongs to it.

    **What it does.** Takes the models that a change retires and what its registry says became of them, and carries
    the rest of the tool's own plan out on what the author left: registry entries, docs rows, tests of what is lost,
    the modeling file, imports, CI paths, and for a model that is given up all that is about it alone. What that would
    still edit is forgotten. What only the author knows better is never undone.

    **Why.** Two thirds of the edits of a removal lie outside the first four files, and nothing fails where one is
    forgotten: the docs promise what is gone, a test is never run, an owner is never asked.

    **How to mend.** Take the suggestion, or apply the patch with `git apply`.
    """

    code = "incomplete-retirement"


def incomplete(
    edits: Sequence[Edit], faults: Sequence[Fault], faults_left: Known | None, told_already: Sequence[Remark]
) -> Iterator[Remark]:
    """A remark for each fault, with the lines that mend it, and for each edit that nothing else speaks of.

    A fault elsewhere that is gone once all edits are applied, and so not among `faults_left`, is the same fault seen
    from its other end: it is not told twice.
    """
    left, taken = list(faults), {part for remark in told_already for part in remark.fix}
    for edit in edits:
        parts = [part for part in replacements(edit) if part not in taken] if isinstance(edit, Rewrite) else []
        if isinstance(edit, Rewrite) and not parts:
            continue
        told = [fault for fault in left if fault.location.file == edit.file and _touches(parts, fault.location.line)]
        left = [fault for fault in left if fault not in told]
        if told:
            yield from _mended(told, parts)
        else:
            line = parts[0].first if parts else 1
            yield Remark(
                Location(edit.file, line),
                IncompleteRetirement.code,
                Severity.WARNING,
                f"forgotten: {'; '.join(edit.reasons) or 'what the retirement leaves without a use'}",
                "Apply the suggestion or the patch.",
                tuple(parts),
            )
    for fault in left if faults_left is None else unmended(left, faults_left):
        yield of_fault(fault)


def unmended(faults: Sequence[Fault], left: Known) -> list[Fault]:
    """Those of `faults` that are still there afterwards."""
    return [fault for fault in faults if left[fault.check, fault.location.file, fault.message]]


def of_fault(fault: Fault, fix: tuple[Replacement, ...] = ()) -> Remark:
    """What a check of `lint` found, as a remark."""
    return Remark(fault.location, fault.check, Severity.ERROR, fault.message, fault.remedy, fix)


def _touches(parts: Sequence[Replacement], line: int) -> bool:
    return any(part.first <= line <= part.last for part in parts)


def _mended(faults: Sequence[Fault], parts: Sequence[Replacement]) -> Iterator[Remark]:
    """Each fault with the lines at its place; what is at none of them goes with the first."""
    free = list(parts)
    fixes = []
    for fault in faults:
        own = [part for part in free if part.first <= fault.location.line <= part.last]
        free = [part for part in free if part not in own]
        fixes.append(own)
    fixes[0] += free
    for fault, fix in zip(faults, fixes, strict=True):
        yield of_fault(fault, tuple(sorted(fix, key=lambda part: part.first)))
