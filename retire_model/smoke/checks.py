"""The checks, in the order of the report. Each looks at runs of both sides and says what they show."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from retire_model.smoke.comparison import to_each_other
from retire_model.smoke.outcomes import Broke, CheckResult, CutOff, Failed, Inconclusive, NotRun, Outcome, Passed, Ran
from retire_model.smoke.purposes import Purpose
from retire_model.smoke.settings import Device
from retire_model.smoke.standing import Ended, Sound, Standing, Unknown, Unsound, decided, numbers, unfinished
from retire_model.smoke.tolerances import BOTH, tolerance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retire_model.smoke.outcomes import RunOutcome
    from retire_model.smoke.runs import Runs
    from retire_model.smoke.sides import Side

LOADS = "loads"
NOT_REACHED = Inconclusive("not run: it does not load")


def checks(runs: Runs) -> Iterator[CheckResult]:
    """Every check that makes sense for the settings, one after the other as they are done."""
    plain = runs.after(Purpose.PLAIN)
    loads = _check(runs, LOADS, Purpose.PLAIN, _loading)
    yield loads
    yield CheckResult("served by the class expected", *_served_by(runs))
    if runs.settings.compares_numbers:
        yield from _number_checks(runs, reached=_has_loaded(plain))
    if runs.settings.device is Device.CUDA and _has_loaded(plain):
        yield _check(runs, "torch.compile and CUDA graphs", Purpose.COMPILED, _standing_of_numbers(runs))


def _has_loaded(outcome: RunOutcome) -> bool:
    """Whether the engine was built, or may have been for all that is known."""
    return not isinstance(outcome, Broke) or "loaded" in outcome.told


def _number_checks(runs: Runs, *, reached: bool) -> Iterator[CheckResult]:
    settings, made = runs.settings, runs.checkpoints
    judged = _standing_of_numbers(runs)
    with_before = runs.sides.before is not None
    wanted: list[tuple[str, Callable[[str], CheckResult]]] = [
        ("log-probabilities against Transformers", lambda name: _check(runs, name, Purpose.PLAIN, judged)),
    ]
    if with_before:
        wanted.append(("log-probabilities against before", partial(_against_before, runs)))
    if made.marked is not None:
        wanted.append((f"values that show: {made.marked.told}", partial(_marked, runs)))
    if settings.tensor_parallel > 1:
        name = f"tensor parallel {settings.tensor_parallel}"
        wanted.append((name, lambda name: _check(runs, name, Purpose.TENSOR, judged)))
    if settings.pipeline_parallel > 1:
        name = f"pipeline parallel {settings.pipeline_parallel}"
        wanted.append((name, lambda name: _check(runs, name, Purpose.PIPELINE, judged)))
    if made.adapter is not None:
        wanted.append(("LoRA adapter, against merged weights", lambda name: _check(runs, name, Purpose.LORA, judged)))
    wanted.append(
        ("quantized load (fp8)", lambda name: _check(runs, name, Purpose.QUANTIZED, _quantized)),
    )
    for name, check in wanted:
        yield check(name) if reached else CheckResult(name, NOT_REACHED)


def _check(runs: Runs, name: str, purpose: Purpose, judged: Callable[[RunOutcome], Standing]) -> CheckResult:
    """One purpose on both sides, before being the control of after."""
    after, before = runs.after(purpose), runs.before(purpose)
    outcome = decided(
        judged(after), None if before is None else judged(before), lambda: _control(runs, purpose, judged)
    )
    return CheckResult(name, outcome, _logs(after, before))


def _control(runs: Runs, purpose: Purpose, judged: Callable[[RunOutcome], Standing]) -> Standing:
    outcome = runs.control(purpose)
    return Unknown("there is no model to compare with") if outcome is None else judged(outcome)


def _standing_of_numbers(runs: Runs) -> Callable[[RunOutcome], Standing]:
    return lambda outcome: numbers(outcome, tolerance(runs.settings.dtype))


def _loading(outcome: RunOutcome) -> Standing:
    """Every parameter is filled, and every weight has found a place."""
    if isinstance(outcome, CutOff):
        return Ended(outcome.reason)
    if not _has_loaded(outcome):
        return unfinished(outcome) or Unknown("")
    loaded: dict[str, Any] | None = outcome.told.get("loaded")
    if loaded is None:
        return Sound("nobody could watch")
    if loaded["unfilled"]:
        return Unsound(f"{len(loaded['unfilled'])} parameters are not filled, such as {loaded['unfilled'][0]}")
    if loaded["elements"] > loaded["parameters"]:
        return Unsound(f"the checkpoint has {loaded['elements']} numbers, the model {loaded['parameters']}")
    return Sound(f"{loaded['weights']} weights, {loaded['parameters']} parameters, all filled")


def _served_by(runs: Runs) -> tuple[Outcome, tuple[Any, ...]]:
    """After by one of the backend's; where before is not by its own, the two cannot be compared."""
    after, before, side = runs.after(Purpose.PLAIN), runs.before(Purpose.PLAIN), runs.sides.before
    outcome = _served(runs.sides.after, after)
    if isinstance(outcome, Passed) and side is not None and before is not None:
        control = _served(side, before)
        if isinstance(control, Passed):
            outcome = Passed(f"{outcome.note}, before by {control.note}")
        elif isinstance(control, Failed):
            outcome = Inconclusive(f"before: {control.reason}")
    return outcome, _logs(after, before)


def _served(side: Side, outcome: RunOutcome) -> Outcome:
    if isinstance(outcome, CutOff):
        return NotRun(outcome.reason)
    class_name = outcome.told.get("served_by")
    if class_name is None:
        return Inconclusive("it was not asked") if _has_loaded(outcome) else NOT_REACHED
    if side.served_as_expected(class_name):
        return Passed(class_name)
    return Failed(f"by {class_name}, not by {side.expected}")


def _against_before(runs: Runs, name: str) -> CheckResult:
    after, before = runs.after(Purpose.PLAIN), runs.before(Purpose.PLAIN)
    assert before is not None  # noqa: S101 - asked only where there is one
    return CheckResult(name, _apart(after, before, tolerance(runs.settings.dtype)), _logs(after, before))


def _apart(after: RunOutcome, before: RunOutcome, allowed: float) -> Outcome:
    if not isinstance(after, Ran) or not isinstance(before, Ran):
        standings = {name: unfinished(outcome) for name, outcome in (("before", before), ("after", after))}
        told = [f"{name}: {s.reason}" for name, s in standings.items() if isinstance(s, Unsound | Ended)]
        kind = NotRun if any(isinstance(s, Ended) for s in standings.values()) else Inconclusive
        return kind("; ".join(told))
    found = to_each_other(before.told["prompts"], after.told["prompts"])
    if found.within(BOTH * allowed):
        return Passed(difference=found.largest)
    reason = f"log-probabilities differ by {found.largest:.2g} from before ({found.where})"
    standing = numbers(before, allowed)
    if isinstance(standing, Sound):
        return Failed(reason, found.largest)
    return Inconclusive(f"{reason}; before: {standing.reason}")


def _marked(runs: Runs, name: str) -> CheckResult:
    """With values that show; where it fails, each of them alone, to name the one at fault."""
    variant = runs.checkpoints.marked
    assert variant is not None  # noqa: S101 - asked only where there is one
    after, before = runs.after(Purpose.PLAIN, variant), runs.before(Purpose.PLAIN, variant)
    judged = _standing_of_numbers(runs)
    control = lambda: _control(runs, Purpose.PLAIN, judged)  # noqa: E731 - asked at most once
    standing = judged(after)
    outcome = decided(standing, None if before is None else judged(before), control)
    if isinstance(outcome, Failed) and len(variant.settings) > 1:
        outcome = Failed(f"{outcome.reason}; {_alone(runs)}", outcome.difference)
    return CheckResult(name, outcome, _logs(after, before))


def _alone(runs: Runs) -> str:
    variant = runs.checkpoints.marked
    assert variant is not None  # noqa: S101 - asked only where there is one
    judged = _standing_of_numbers(runs)
    singles = runs.maker.alone(runs.architecture, dict(variant.settings))
    wrong = [single.name for single in singles if isinstance(judged(runs.after(Purpose.PLAIN, single)), Unsound)]
    return f"alone: {', '.join(wrong)}" if wrong else "none of the values does so alone"


def _quantized(outcome: RunOutcome) -> Standing:
    """It loads and decodes numbers: how far these are from the plain ones is a matter of the method."""
    if not isinstance(outcome, Ran):
        return unfinished(outcome) or Unknown("")
    rows = (row for prompt in outcome.told["prompts"] for position in prompt["positions"] for row in position)
    return Sound("loads and decodes") if all(row[1] == row[1] for row in rows) else Unsound("not a number")


def _logs(*outcomes: RunOutcome | None) -> tuple[Any, ...]:
    return tuple(outcome.log for outcome in outcomes if outcome is not None)
