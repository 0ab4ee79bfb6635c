"""The report in three forms, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from retire_model.smoke.measuring import Measurement
from retire_model.smoke.outcomes import Failed, Inconclusive, NotRun, Outcome, Passed
from retire_model.smoke.report import RunnerKind, exit_status
from retire_model.smoke.report_json import json_report
from retire_model.smoke.report_markdown import FOR_A_HUMAN, markdown_report
from retire_model.smoke.report_text import EMULATION, ON_CPU, text_report
from retire_model.smoke.settings import Device
from tests.retire_model.smoke.made_up import EACH, report, settings
from tests.toy import assess_toy

if TYPE_CHECKING:
    from retire_model.smoke.report import SmokeReport

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/smoke.schema.json").read_text())
NUMBERS = Passed(difference=1e-6)
"""A comparison of log-probabilities."""


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ([(NUMBERS,)], 0),
        ([(Passed(), NUMBERS, Inconclusive("x"))], 0),
        ([(Passed(), Inconclusive("x"))], 2),
        ([(Passed(), Failed("x"))], 1),
        ([(Passed(),), (Failed("x"), Inconclusive("x"))], 1),
        ([(Inconclusive("x"),)], 2),
        ([(NUMBERS, NotRun("x"))], 2),
        ([(Failed("x"), NotRun("x"))], 1),
        ([(NUMBERS,), (Inconclusive("x"),)], 2),
        ([], 2),
    ],
)
def test_exit_status(outcomes: list[tuple[Outcome, ...]], status: int) -> None:
    assert exit_status([report(*one) for one in outcomes]) == status


def test_made_up_weights_have_no_numbers_to_compare() -> None:
    assert exit_status([report(Passed(), settings=settings(load_format="dummy"))]) == 0


def test_text() -> None:
    text = text_report(report(*EACH)).plain
    assert "passed         1.0e-06        check 0\n    all | filled\n" in text
    assert "failed         inf            check 1\n    shape is invalid\n" in text
    assert "may differ by 0.001 from Transformers' in float32" in text
    assert "largest difference seen where it passed: 1.0e-06" in text
    assert "as the build has them, not as the tree: platforms/__init__.py" in text
    assert "2.00    rounds of one side differ by 18%: more than noise" in text
    assert ON_CPU in text
    assert "ToyForCausalLM: 1 passed, 1 failed, 1 inconclusive." in text


def test_json() -> None:
    told = json.loads(json_report([report(*EACH)]), parse_constant=pytest.fail)
    jsonschema.validate(told, SCHEMA)
    assert [check["outcome"] for check in told["models"][0]["checks"]] == ["passed", "failed", "inconclusive"]
    assert told["exit_status"] == 1


def test_markdown(tmp_path: Path) -> None:
    text = "\n".join(markdown_report([report(*EACH, assessment=assess_toy(tmp_path))]))
    assert "- Goes: `vllm/model_executor/models/toy.py`" in text
    assert "- Lost, by reading: nothing" in text
    assert "| check 0 | passed | 1.0e-06 | all \\| filled |" in text
    assert all(f"**{place}:**" in text for place in FOR_A_HUMAN)
    assert ON_CPU in text


@pytest.mark.parametrize("told", [lambda r: text_report(r).plain, lambda r: "\n".join(markdown_report([r]))])
def test_an_emulation_is_called_one(told: object) -> None:
    def said(one: SmokeReport) -> str:
        return str(told(one))  # type: ignore[operator]

    assert EMULATION in said(report(Passed(), runner=RunnerKind.TRANSFORMERS))
    assert EMULATION not in said(report(Passed()))


def test_on_a_gpu_speed_is_not_excused() -> None:
    assert ON_CPU not in text_report(report(Passed(), settings=settings(device=Device.CUDA))).plain


@pytest.mark.parametrize(
    ("before", "after", "is_noise"),
    [
        ((10.0, 11.0), (10.5, 10.5), True),
        ((10.0, 11.0), (20.0, 20.5), False),
        ((), (1.0, 2.0), None),
        ((1.0,), (2.0,), None),
    ],
)
def test_noise(before: tuple[float, ...], after: tuple[float, ...], is_noise: bool | None) -> None:
    assert Measurement("x", before, after).is_noise is is_noise
