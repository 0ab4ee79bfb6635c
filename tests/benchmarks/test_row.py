from __future__ import annotations

import pytest

from benchmarks.measurement import Command, Measurement, Sample
from benchmarks.row import Result, Row
from benchmarks.table import render

NOTHING = Command(())


def result(seconds: float, reference: float | None, **bounds: float) -> Result:
    row = Row("ours", NOTHING, "theirs", NOTHING, **bounds)  # type: ignore[arg-type]
    against = None if reference is None else Measurement((Sample(reference, 1),))
    return Result(row, Measurement((Sample(seconds, 2_000_000),)), against)


@pytest.mark.parametrize(
    ("found", "excess"),
    [
        (result(1, 2), 0),
        (result(1, 2, most_seconds=2), 0.5),
        (result(1, 2, most_seconds=2, most_ratio=0.25), 2),
        (result(1, None, most_ratio=0.25), 0),
        (result(1, 2, most_bytes=1_000_000, most_seconds=4), 2),
    ],
)
def test_excess_is_that_of_the_worst_bound(found: Result, excess: float) -> None:
    assert found.excess == excess


@pytest.mark.parametrize(
    ("found", "excess"),
    [
        (result(1, 2, most_seconds=0.1), 0),
        (result(1, 2, most_seconds=0.1, most_ratio=0.25), 2),
        (result(1, None, most_ratio=0.25), 0),
    ],
)
def test_seconds_do_not_count_as_a_ratio(found: Result, excess: float) -> None:
    assert found.excess_of_ratio == excess


@pytest.mark.parametrize(
    ("most_seconds", "judgement"),
    [(2.0, "bound    2 s: held, at 50%"), (0.8, "missed, at 125%\n"), (0.5, "missed, at 200% (FAILED)\n")],
)
def test_table_says_how_the_bounds_fare(most_seconds: float, judgement: str) -> None:
    assert judgement in render([result(1, 2, most_seconds=most_seconds)], 7)


def test_table_says_what_was_not_measured() -> None:
    text = render([result(1, None, most_ratio=0.2), result(1, 4, most_ratio=0.2)], 7)
    assert "ratio 0.20 (not measured): held" in text
    assert "ratio    0.25\n" in text
