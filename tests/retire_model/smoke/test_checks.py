"""What the checks make of runs. The runs are made up."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from retire_model.smoke.checkpoints import Adapter, Checkpoints, Variant
from retire_model.smoke.checks import checks
from retire_model.smoke.outcomes import Broke, CutOff, Failed, Inconclusive, NotRun, Passed, RunOutcome
from tests.retire_model.smoke.made_up import LOADED, LOG, ran, settings

if TYPE_CHECKING:
    from retire_model.smoke.purposes import Purpose
    from retire_model.smoke.settings import Settings

FIRST, MARKED = Variant("default", Path(), Path()), Variant("marked", Path(), Path(), (("a", 1), ("b", 2)))
CHECKPOINTS = Checkpoints(FIRST, MARKED, Adapter(Path(), Path(), 1.0, ("q_proj",)))
BROKE = Broke("RuntimeError: no", 1.0, LOG)
NOT_LOADED = Broke("ValueError: not initialized", 1.0, LOG)


@dataclass
class MadeUp:
    """Runs that all go well, save for those given by side, purpose and variant."""

    given: dict[tuple[str, str], RunOutcome] = field(default_factory=dict)
    settings: Settings = field(default_factory=settings)
    bespoke: bool = True
    architecture: str = "ToyForCausalLM"
    checkpoints: Checkpoints = CHECKPOINTS
    asked: list[tuple[str, str]] = field(default_factory=list)

    @property
    def sides(self) -> Any:
        after = SimpleNamespace(expected="Transformers", served_as_expected=lambda n: n.startswith("Transformers"))
        before = SimpleNamespace(expected="Toy", served_as_expected=lambda n: n == "Toy")
        return SimpleNamespace(before=before if self.bespoke else None, after=after)

    @property
    def maker(self) -> Any:
        singles = [Variant(f"{name}={value}", Path(), Path()) for name, value in MARKED.settings]
        return SimpleNamespace(alone=lambda *_: singles)

    def after(self, purpose: Purpose, variant: Variant = FIRST) -> RunOutcome:
        return self._run("after", purpose, variant)

    def before(self, purpose: Purpose, variant: Variant = FIRST) -> RunOutcome | None:
        return self._run("before", purpose, variant) if self.bespoke else None

    def control(self, purpose: Purpose) -> RunOutcome | None:
        return self._run("control", purpose, FIRST)

    def _run(self, side: str, purpose: Purpose, variant: Variant) -> RunOutcome:
        key = (side, str(purpose) if variant is FIRST else variant.name)
        self.asked.append(key)
        return self.given.get(key, ran(served_by="Toy" if side == "before" else "TransformersForCausalLM"))

    def outcomes(self) -> dict[str, Any]:
        return {result.name.partition(":")[0]: result.outcome for result in checks(self)}  # type: ignore[arg-type]


def kinds(runs: MadeUp) -> dict[str, type]:
    return {name: type(outcome) for name, outcome in runs.outcomes().items()}


def test_all_is_well() -> None:
    found = kinds(MadeUp())
    assert set(found.values()) == {Passed}
    assert list(found) == [
        "loads",
        "served by the class expected",
        "log-probabilities against Transformers",
        "log-probabilities against before",
        "values that show",
        "tensor parallel 2",
        "pipeline parallel 2",
        "LoRA adapter, against merged weights",
        "quantized load (fp8)",
    ]


@pytest.mark.parametrize(
    ("purpose", "check"),
    [
        ("tensor parallel", "tensor parallel 2"),
        ("pipeline parallel", "pipeline parallel 2"),
        ("LoRA", "LoRA adapter, against merged weights"),
        ("quantized", "quantized load (fp8)"),
        ("marked", "values that show"),
    ],
)
@pytest.mark.parametrize(("before", "kind"), [(ran(), Failed), (BROKE, Inconclusive)])
def test_a_failure_has_a_control(purpose: str, check: str, before: RunOutcome, kind: type) -> None:
    found = kinds(MadeUp({("after", purpose): BROKE, ("before", purpose): before}))
    assert found.pop(check) is kind
    assert set(found.values()) == {Passed}


def test_what_does_not_load_is_not_run_further() -> None:
    runs = MadeUp({("after", "plain"): NOT_LOADED})
    found = kinds(runs)
    assert found.pop("loads") is Failed
    assert set(found.values()) == {Inconclusive}
    assert ("after", "tensor parallel") not in runs.asked


def test_what_loads_and_then_breaks_has_loaded() -> None:
    later = Broke("RuntimeError: no", 1.0, LOG, {"loaded": LOADED, "served_by": "TransformersForCausalLM"})
    found = kinds(MadeUp({("after", "plain"): later}))
    assert found["loads"] is Passed
    assert found["log-probabilities against Transformers"] is Failed
    assert found["log-probabilities against before"] is Inconclusive
    assert found["tensor parallel 2"] is Passed


@pytest.mark.parametrize(
    ("loaded", "told"),
    [
        ({"unfilled": ["lm_head.weight"]}, "1 parameters are not filled, such as lm_head.weight"),
        ({"elements": 101}, "the checkpoint has 101 numbers, the model 100"),
    ],
)
def test_loading(loaded: dict[str, Any], told: str) -> None:
    outcome = MadeUp({("after", "plain"): ran(loaded=LOADED | loaded)}).outcomes()["loads"]
    assert outcome == Failed(told)


def test_another_class() -> None:
    runs = MadeUp({("after", "plain"): ran(served_by="ToyForCausalLM")})
    assert kinds(runs)["served by the class expected"] is Failed
    wrong = MadeUp({("before", "plain"): ran(served_by="TransformersForCausalLM")})
    told = "before: by TransformersForCausalLM, not by Toy"
    assert wrong.outcomes()["served by the class expected"] == Inconclusive(told)
    both = MadeUp().outcomes()["served by the class expected"]
    assert both == Passed("TransformersForCausalLM, before by Toy")


def test_before_is_wrong_itself() -> None:
    found = MadeUp({("before", "plain"): ran(-3.0)}).outcomes()
    assert isinstance(found["log-probabilities against Transformers"], Passed)
    assert isinstance(found["log-probabilities against before"], Inconclusive)


def test_after_is_wrong() -> None:
    found = kinds(MadeUp({("after", "plain"): ran(-3.0)}))
    assert found["log-probabilities against Transformers"] is Failed
    assert found["log-probabilities against before"] is Failed


def test_the_value_at_fault_is_named() -> None:
    runs = MadeUp({("after", "marked"): ran(-3.0), ("after", "b=2"): ran(-3.0)})
    outcome = runs.outcomes()["values that show"]
    assert isinstance(outcome, Failed)
    assert outcome.reason.endswith("; alone: b=2")


def test_a_migrated_model_is_compared_with_transformers_alone() -> None:
    runs = MadeUp({("after", "pipeline parallel"): BROKE, ("control", "pipeline parallel"): BROKE}, bespoke=False)
    found = kinds(runs)
    assert "log-probabilities against before" not in found
    assert found["pipeline parallel 2"] is Inconclusive
    assert found["tensor parallel 2"] is Passed
    assert ("control", "tensor parallel") not in runs.asked


def test_a_run_that_was_killed_says_nothing() -> None:
    killed = CutOff("killed", 1.0, LOG)
    assert kinds(MadeUp({("after", "tensor parallel"): killed}))["tensor parallel 2"] is NotRun
    assert kinds(MadeUp({("before", "plain"): killed}))["log-probabilities against before"] is NotRun
    found = kinds(MadeUp({("after", "plain"): killed}))
    assert [found["loads"], found["served by the class expected"]] == [NotRun, NotRun]


def test_made_up_weights_are_not_compared() -> None:
    found = kinds(MadeUp(settings=settings(load_format="dummy")))
    assert list(found) == ["loads", "served by the class expected"]


def test_what_is_not_asked_for_is_left_out() -> None:
    found = kinds(MadeUp(settings=settings(tensor_parallel=1, pipeline_parallel=1), checkpoints=Checkpoints(FIRST)))
    assert not {"tensor parallel 1", "pipeline parallel 1", "values that show"} & set(found)
