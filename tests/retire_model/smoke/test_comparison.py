"""Differences of log-probabilities, and of the tokens chosen."""

from __future__ import annotations

import math
from typing import Any

import pytest

from retire_model.smoke.comparison import other_tokens, to_each_other, to_reference

NAN = math.nan


def prompt(*positions: list[list[Any]], tokens: tuple[int, ...] = (), **more: Any) -> list[dict[str, Any]]:
    return [{"name": "short", "positions": list(positions), "tokens": list(tokens), "expected": [], "gaps": [], **more}]


def test_the_largest_difference_and_its_place() -> None:
    found = to_reference(prompt([[1, -1.0, -1.5], [2, -2.0, -2.25]], [[1, -1.0, -3.0]]))
    assert found.largest == 2.0
    assert found.where == "short, position 1"
    assert found.within(2.0)
    assert not found.within(1.9)


@pytest.mark.parametrize("row", [[1, NAN, -1.0], [1, -1.0, NAN], [300, -1.0, None]])
def test_what_is_not_a_number_never_agrees(row: list[Any]) -> None:
    assert not to_reference(prompt([row])).within(1e9)


def test_two_runs() -> None:
    first = prompt([[1, -1.0, 0.0], [2, -2.0, 0.0]])
    assert to_each_other(first, prompt([[1, -1.25, 0.0], [2, -2.0, 0.0]])).largest == 0.25
    # A token that the other has not is level with the other's last at most.
    assert to_each_other(first, prompt([[1, -1.0, 0.0], [3, -2.0, 0.0]])).largest == 0.0
    assert to_each_other(prompt([[9, -0.5, 0.0], [1, -1.0, 0.0]]), first).largest == 1.5
    assert not to_each_other(prompt([[1, NAN, 0.0]]), first).within(1e9)


def test_runs_are_compared_as_long_as_they_decode_the_same() -> None:
    shorter = prompt([[1, -1.0, 0.0]])
    longer = prompt([[1, -1.0, 0.0]], [[1, -9.0, 0.0]])
    assert to_each_other(shorter, longer).largest == 0.0


def test_tokens() -> None:
    same: dict[str, Any] = {"tokens": (5, 6), "expected": [5, 6], "gaps": [1.0, 1.0]}
    assert other_tokens(prompt(**same), 0.1) is None
    other = prompt(**{**same, "tokens": (5, 7)})
    assert other_tokens(other, 0.1) == "short: token 2 is 7, not 6"
    # Where the choice is not clear, rounding decides, and from there on the paths part.
    assert other_tokens(other, 0.6) is None
    assert other_tokens(prompt(**{**same, "tokens": (4, 7), "gaps": [0.1, 1.0]}), 0.1) is None
