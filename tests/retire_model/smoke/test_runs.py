"""Which runs are made, and with what. The keeper is made up."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from retire_model.smoke import runs as module
from retire_model.smoke.checkpoints import Adapter, Checkpoints, Variant
from retire_model.smoke.purposes import Purpose
from retire_model.smoke.runs import Runs
from retire_model.smoke.sides import sides_of
from tests.retire_model.smoke.made_up import ran, settings
from tests.toy import write_engine

if TYPE_CHECKING:
    from retire_model.smoke.outcomes import RunOutcome

TOY = "ToyForCausalLM"


class Keeper:
    def __init__(self) -> None:
        self.jobs: list[dict[str, Any]] = []

    def run(self, job: dict[str, Any], name: str, _: int) -> RunOutcome:
        self.jobs.append(job | {"name": name})
        return ran()


def checkpoints(name: str) -> Checkpoints:
    adapter = Adapter(Path(name) / "adapter", Path(name) / "merged", 1.0, ("q_proj",))
    return Checkpoints(Variant("default", Path(name), Path(name) / "reference"), None, adapter)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Runs, Keeper]:
    monkeypatch.setattr(module, "CONTROL_ARCHITECTURE", TOY)
    keeper, tree = Keeper(), open_engine_tree(write_engine(tmp_path))
    maker: Any = SimpleNamespace(make=lambda architecture, **_: checkpoints(f"/{architecture}"))
    sides = sides_of(TOY, tree, None)
    given: Any = (maker, lambda _: keeper, lambda _: None)
    return Runs("OtherForCausalLM", settings(), sides, checkpoints("/other"), *given), keeper


def test_each_run_is_made_once(made: tuple[Runs, Keeper]) -> None:
    runs, keeper = made
    assert runs.after(Purpose.PLAIN) is runs.after(Purpose.PLAIN)
    runs.before(Purpose.PLAIN)
    assert [job["engine"]["model_impl"] for job in keeper.jobs] == ["transformers", "auto"]
    assert {job["checkpoint"] for job in keeper.jobs} == {"/other"}


def test_rounds_are_made_anew(made: tuple[Runs, Keeper]) -> None:
    runs, keeper = made
    for number in (1, 2):
        runs.again(runs.sides.after, Purpose.MEASURED, number)
    assert [(job["name"], job["reference"]) for job in keeper.jobs] == [
        ("OtherForCausalLM-after measured default round 1", None),
        ("OtherForCausalLM-after measured default round 2", None),
    ]


def test_an_adapter_is_compared_with_merged_weights(made: tuple[Runs, Keeper]) -> None:
    runs, keeper = made
    runs.after(Purpose.LORA)
    (job,) = keeper.jobs
    assert (job["adapter"], job["reference"]) == ("/other/adapter", "/other/merged")
    assert job["engine"]["enable_lora"]


def test_the_control_has_its_own_checkpoint_and_adapter(made: tuple[Runs, Keeper]) -> None:
    runs, keeper = made
    assert runs.control(Purpose.LORA) is runs.control(Purpose.LORA)
    (job,) = keeper.jobs
    assert (job["checkpoint"], job["adapter"]) == (f"/{TOY}", f"/{TOY}/adapter")
    assert job["engine"]["model_impl"] == "auto"
