"""Compares log-probabilities: with Transformers', and those of two runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Prompts = list[dict[str, Any]]
"""As `inside.engine` tells them."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest one, and where it is."""

    largest: float
    where: str

    def within(self, tolerance: float) -> bool:
        """Whether it is small enough. What is not a number never is."""
        return self.largest <= tolerance


def to_reference(prompts: Prompts) -> Difference:
    """How far a run lies from Transformers."""
    return _largest(
        (_distance(given, wanted), f"{prompt['name']}, position {index}")
        for prompt in prompts
        for index, row in enumerate(prompt["positions"])
        for _, given, wanted in row
    )


def to_each_other(first: Prompts, second: Prompts) -> Difference:
    """How far two runs lie apart, as long as both decode the same tokens."""
    return _largest(
        (distance, f"{a['name']}, position {index}")
        for a, b in zip(first, second, strict=True)
        for index, (row, other) in enumerate(zip(a["positions"], b["positions"], strict=False))
        for distance in _rows_apart(row, other)
    )


def other_tokens(prompts: Prompts, tolerance: float) -> str | None:
    """Where greedy decoding leaves Transformers' path, as long as its choice is clear; None where it does not."""
    for prompt in prompts:
        for step, (token, wanted, gap) in enumerate(
            zip(prompt["tokens"], prompt["expected"], prompt["gaps"], strict=True)
        ):
            if gap <= BOTH_WAYS * tolerance:
                break
            if token != wanted:
                return f"{prompt['name']}: token {step + 1} is {token}, not {wanted}"
    return None


BOTH_WAYS = 2.0
"""Of two choices one may lose and the other gain."""


def _rows_apart(row: Sequence[Sequence[float]], other: Sequence[Sequence[float]]) -> Iterator[float]:
    """A token that only one has among its highest may at most be level with the other's last."""
    theirs: Mapping[float, float] = {token: value for token, value, _ in other}
    least = min(theirs.values(), default=math.inf)
    for token, value, _ in row:
        yield abs(value - theirs[token]) if token in theirs else max(value - least, 0.0)
        if math.isnan(value):
            yield math.nan


def _distance(given: float, wanted: float | None) -> float:
    return math.nan if wanted is None else abs(given - wanted)


def _largest(found: Iterator[tuple[float, str]]) -> Difference:
    largest = Difference(0.0, "")
    for distance, where in found:
        if math.isnan(distance):
            return Difference(math.inf, f"{where}: not a number")
        if distance > largest.largest:
            largest = Difference(distance, where)
    return largest
