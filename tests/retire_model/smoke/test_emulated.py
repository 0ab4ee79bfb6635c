"""What the backend does, done by torch and Transformers alone: end to end, on a CPU and where there is one on a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from analyzer.errors import WrongUse
from retire_model.command import run
from retire_model.smoke.emulated import refuse_engine_matters
from retire_model.smoke.request import Request

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/smoke.schema.json").read_text())
ASK = "import torch, transformers; print(torch.cuda.is_available())"


@pytest.fixture(scope="module")
def python() -> str:
    """A Python with torch and Transformers."""
    found = os.environ.get("PROBE_PYTHON") or sys.executable
    if subprocess.run([found, "-c", ASK], capture_output=True).returncode:
        pytest.skip(f"{found} has no torch or no Transformers (pip install 'retire-model[smoke]', or PROBE_PYTHON)")
    return found


def outcomes(capfd: pytest.CaptureFixture[str], python: str, *arguments: str) -> dict[str, Any]:
    run(["smoke", *arguments, "--runner", "transformers", "--engine-python", python, "--json"])
    out, err = capfd.readouterr()
    report = json.loads(out or "{}") or pytest.fail(err)
    jsonschema.validate(report, SCHEMA)
    (model,) = report["models"]
    assert model["emulation"]
    return {check["name"].partition(":")[0]: check["outcome"] for check in model["checks"]}


SOUND = {
    "base model and a head of its own, against the head class": "passed",
    "values that show": "passed",
    "tensor parallel 2": "passed",
    "pipeline parallel 2": "passed",
}


@pytest.mark.torch
def test_a_model_that_the_backend_serves(capfd: pytest.CaptureFixture[str], python: str) -> None:
    assert outcomes(capfd, python, "gemma", "--device", "cpu") == SOUND


@pytest.mark.torch
def test_a_scale_that_a_head_of_its_own_forgets(capfd: pytest.CaptureFixture[str], python: str) -> None:
    """With default values nothing shows; with values that show it does."""
    found = outcomes(capfd, python, "GraniteForCausalLM", "--device", "cpu", "--pipeline-parallel", "1")
    assert found == {**{name: SOUND[name] for name in list(SOUND)[:3]}, "values that show": "failed"}


@pytest.mark.torch
def test_no_such_model(capfd: pytest.CaptureFixture[str], python: str) -> None:
    assert run(["smoke", "no-such-model", "--runner", "transformers", "--engine-python", python]) == 2
    assert "has no language model 'no-such-model'" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"tensor_parallel": 3}, "shared out among 2, no more"),
        ({"pipeline_parallel": 4}, "shared out among 2, no more"),
        ({"load_format": "dummy"}, "needs the engine"),
    ],
)
def test_what_is_not_emulated(options: dict[str, Any], told: str) -> None:
    refuse_engine_matters(Request("python"))
    with pytest.raises(WrongUse, match=told):
        refuse_engine_matters(Request("python", **options))


@pytest.mark.torch
@pytest.mark.gpu
def test_on_a_gpu(capfd: pytest.CaptureFixture[str], python: str) -> None:
    if subprocess.run([python, "-c", ASK], capture_output=True, text=True).stdout.strip() != "True":
        pytest.skip(f"{python}: torch finds no GPU")
    assert outcomes(capfd, python, "gemma", "--device", "cuda") == SOUND
