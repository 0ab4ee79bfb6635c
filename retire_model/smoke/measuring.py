"""Speed and memory, before against after: alternating rounds, medians, and how far rounds of one side lie apart."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from retire_model.smoke.outcomes import Broke, CheckResult, CutOff, Inconclusive, NotRun, Ran
from retire_model.smoke.purposes import Purpose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.smoke.runs import Runs

CHECK = "speed and memory"
QUANTITIES = {
    "first_token_seconds": "time to first token, s",
    "tokens_per_second": "decoded tokens per second",
    "peak_bytes": "peak memory, bytes",
}


@dataclass(frozen=True, slots=True)
class Measurement:
    """One quantity on both sides."""

    quantity: str
    before: tuple[float, ...]
    """One value a round; none where there is no before."""
    after: tuple[float, ...]

    @property
    def ratio(self) -> float | None:
        """The median of after, as a part of the median of before."""
        return median(self.after) / median(self.before) if self.before and median(self.before) else None

    @property
    def noise(self) -> float | None:
        """The larger spread of the rounds of one side, as a part of its median; None where one round tells nothing."""
        if len(self.after) < 2:
            return None
        return max(_spread(values) for values in (self.before, self.after) if values)

    @property
    def is_noise(self) -> bool | None:
        """Whether the sides are no further apart than rounds of one side; None where that cannot be told."""
        return None if self.ratio is None or self.noise is None else abs(self.ratio - 1) <= self.noise


def _spread(values: Sequence[float]) -> float:
    return (max(values) - min(values)) / median(values) if median(values) else 0.0


def measure(runs: Runs) -> tuple[Measurement, ...] | CheckResult:
    """All quantities over the rounds that are asked for, or which of them did not come to its end.

    None where the model does not run.
    """
    if not runs.settings.rounds or not isinstance(runs.after(Purpose.PLAIN), Ran):
        return ()
    sides = list(runs.sides)
    found: dict[str, list[dict[str, float]]] = {side.name: [] for side in sides}
    for number in range(1, runs.settings.rounds + 1):
        for side in sides if number % 2 else reversed(sides):
            outcome = runs.again(side, Purpose.MEASURED, number)
            if not isinstance(outcome, Ran):
                return CheckResult(CHECK, _broken(outcome, f"{side.name}, round {number}"), (outcome.log,))
            found[side.name].append(outcome.told["measured"])
    before, after = found.get("before", []), found["after"]
    return tuple(
        Measurement(told, tuple(row[name] for row in before), tuple(row[name] for row in after))
        for name, told in QUANTITIES.items()
    )


def _broken(outcome: Broke | CutOff, where: str) -> Inconclusive:
    """Speed fails no check: that is what the others are for."""
    if isinstance(outcome, CutOff):
        return NotRun(f"{where}: {outcome.reason}")
    return Inconclusive(f"{where}: {outcome.error}")
