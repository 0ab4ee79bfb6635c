"""Rounds alternate, and a side that does not run is not measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from retire_model.smoke.measuring import CHECK, QUANTITIES, measure
from retire_model.smoke.outcomes import Broke, CheckResult, CutOff, Inconclusive, NotRun, RunOutcome
from retire_model.smoke.sides import Sides
from tests.retire_model.smoke.made_up import LOG, ran, settings

if TYPE_CHECKING:
    from retire_model.smoke.settings import Settings


NAMES = ("before", "after")


@dataclass
class MadeUp:
    """Before is as fast in each round, after is faster by the number of the round."""

    plain: RunOutcome = field(default_factory=ran)
    settings: Settings = field(default_factory=lambda: settings(rounds=3))
    sides: Any = field(default_factory=lambda: Sides(*(cast("Any", SimpleNamespace(name=n)) for n in NAMES)))
    broken: RunOutcome | None = None
    """What the second round of after ends with."""
    asked: list[str] = field(default_factory=list)

    def after(self, *_: Any) -> RunOutcome:
        return self.plain

    def again(self, side: Any, _: Any, number: int) -> RunOutcome:
        self.asked.append(side.name)
        if self.broken is not None and (side.name, number) == ("after", 2):
            return self.broken
        value = 1.0 if side.name == "before" else float(number)
        return ran(measured=dict.fromkeys(QUANTITIES, value))


def test_rounds_alternate() -> None:
    runs = MadeUp()
    found = measure(runs)  # type: ignore[arg-type]
    assert isinstance(found, tuple)
    assert runs.asked == ["before", "after", "after", "before", "before", "after"]
    assert [m.quantity for m in found] == list(QUANTITIES.values())
    assert found[0].before == (1.0, 1.0, 1.0)
    assert found[0].after == (1.0, 2.0, 3.0)
    assert found[0].ratio == 2.0


@pytest.mark.parametrize(
    ("broken", "outcome"),
    [
        (Broke("no room", 1.0, LOG), Inconclusive("after, round 2: no room")),
        (CutOff("it was killed", 1.0, LOG), NotRun("after, round 2: it was killed")),
    ],
)
def test_a_round_that_breaks_is_told(broken: RunOutcome, outcome: Inconclusive) -> None:
    found = measure(MadeUp(broken=broken))  # type: ignore[arg-type]
    assert found == CheckResult(CHECK, outcome, (LOG,))


def test_what_does_not_run_is_not_measured() -> None:
    for runs in (MadeUp(Broke("no", 1.0, LOG)), MadeUp(settings=settings(rounds=0))):
        assert measure(runs) == ()  # type: ignore[arg-type]
        assert runs.asked == []
