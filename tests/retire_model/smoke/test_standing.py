"""A check's answer and its control: never failed and never passed where before fails too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from retire_model.smoke.outcomes import Broke, CutOff, Failed, Inconclusive, NotRun, Outcome, Passed, Ran
from retire_model.smoke.standing import Ended, Sound, Standing, Unknown, Unsound, decided, numbers

LOG = Path("x.log")


def ran(value: float, token: int = 7) -> Ran:
    prompt = {"name": "p", "positions": [[[7, value, -1.0]]], "tokens": [token], "expected": [7], "gaps": [5.0]}
    return Ran({"prompts": [prompt]}, 1.0, LOG)


@pytest.mark.parametrize(
    ("outcome", "standing"),
    [
        (ran(-1.0), Sound),
        (ran(-1.5), Unsound),
        (ran(-1.0, token=8), Unsound),
        (Broke("RuntimeError: no", 1.0, LOG), Unsound),
        (CutOff("killed", 1.0, LOG), Ended),
    ],
)
def test_numbers(outcome: Any, standing: type[Standing]) -> None:
    assert isinstance(numbers(outcome, 0.1), standing)


@pytest.mark.parametrize(
    ("after", "before", "expected"),
    [
        (Sound(difference=1e-6), Sound(), Passed(difference=1e-6)),
        (Sound(), Unsound("x"), Passed()),
        (Unsound("a", 2.0), Sound(), Failed("a", 2.0)),
        (Unsound("a"), Unsound("b"), Inconclusive("before: b; after: a")),
        (Unsound("a"), Unsound("a"), Inconclusive("before and after: a")),
        (Unsound("a"), Unknown("no plan"), Inconclusive("before: no plan; after: a")),
        (Unknown("no plan"), Sound(), Inconclusive("no plan")),
        (Ended("killed"), Sound(), NotRun("killed")),
        (Unsound("a"), Ended("killed"), NotRun("before: killed; after: a")),
    ],
)
def test_before_is_the_control(after: Standing, before: Standing, expected: Outcome) -> None:
    def control() -> Standing:
        raise AssertionError("there is a before")

    assert decided(after, before, control) == expected


def test_without_a_before_another_model_is_the_control() -> None:
    assert decided(Unsound("a"), None, Sound) == Failed("a")
    assert decided(Unsound("a"), None, lambda: Unsound("b")) == Inconclusive("control: b; after: a")
    asked: list[int] = []
    assert decided(Sound(), None, lambda: asked.append(1) or Sound()) == Passed()  # type: ignore[func-returns-value]
    assert not asked
