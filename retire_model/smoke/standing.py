"""How one run stands against Transformers, and what two runs together say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retire_model.smoke.comparison import other_tokens, to_reference
from retire_model.smoke.outcomes import Broke, CutOff, Failed, Inconclusive, NotRun, Outcome, Passed, Ran, RunOutcome

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Sound:
    """It does what it should."""

    note: str = ""
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class Unsound:
    """It does not."""

    reason: str
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """It cannot be told."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The run was ended from outside."""

    reason: str


Standing = Sound | Unsound | Unknown | Ended


def unfinished(outcome: RunOutcome) -> Standing | None:
    """The standing of a run that did not come to its end; None for one that did."""
    match outcome:
        case Broke(error=error):
            return Unsound(error)
        case CutOff(reason=reason):
            return Ended(reason)
        case Ran():
            return None


def numbers(outcome: RunOutcome, tolerance: float) -> Standing:
    """Log-probabilities against Transformers', and the tokens chosen."""
    if not isinstance(outcome, Ran):
        return unfinished(outcome) or Unknown("")
    found = to_reference(outcome.told["prompts"])
    if not found.within(tolerance):
        return Unsound(
            f"log-probabilities differ by {found.largest:.2g} from Transformers' ({found.where})", found.largest
        )
    other = other_tokens(outcome.told["prompts"], tolerance)
    if other is not None:
        return Unsound(f"decodes other tokens than Transformers ({other})", found.largest)
    return Sound(difference=found.largest)


def decided(after: Standing, before: Standing | None, control: Callable[[], Standing]) -> Outcome:
    """What after says, with before as its control; `control` is asked where there is no before."""
    match after:
        case Sound(note=note, difference=difference):
            return Passed(note, difference)
        case Unknown(reason=reason):
            return Inconclusive(reason)
        case Ended(reason=reason):
            return NotRun(reason)
    name, other = ("before", before) if before is not None else ("control", control())
    match other:
        case Sound():
            return Failed(after.reason, after.difference)
        case Unsound(reason=reason) if reason == after.reason:
            return Inconclusive(f"{name} and after: {reason}")
        case Unsound(reason=reason) | Unknown(reason=reason):
            return Inconclusive(f"{name}: {reason}; after: {after.reason}")
        case Ended(reason=reason):
            return NotRun(f"{name}: {reason}; after: {after.reason}")
