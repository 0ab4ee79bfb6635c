"""Speed and memory, before against after: alternating rounds, medians, and how far rounds of one side lie apart."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from retire_model.smoke.outcomes import Ran
from retire_model.smoke.purposes import Purpose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.smoke.runs import Runs
    from retire_model.smoke.sides import Side

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


def measure(runs: Runs) -> tuple[Measurement, ...]:
    """All quantities over the rounds that are asked for; none where the model does not run, or a round fails."""
    if not runs.settings.rounds or not isinstance(runs.after(Purpose.PLAIN), Ran):
        return ()
    sides = list(runs.sides)
    found: dict[str, list[dict[str, float]]] = {side.name: [] for side in sides}
    for number in range(runs.settings.rounds):
        for side in sides if number % 2 == 0 else reversed(sides):
            measured = _round(runs, side, number)
            if measured is None:
                return ()
            found[side.name].append(measured)
    before, after = found.get("before", []), found["after"]
    return tuple(
        Measurement(told, tuple(row[name] for row in before), tuple(row[name] for row in after))
        for name, told in QUANTITIES.items()
    )


def _round(runs: Runs, side: Side, number: int) -> dict[str, float] | None:
    outcome = runs.again(side, Purpose.MEASURED, number + 1)
    return outcome.told["measured"] if isinstance(outcome, Ran) else None
