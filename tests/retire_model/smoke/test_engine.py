"""Gemma in the real engine, before and after. Needs what `make engine` makes, or ENGINE_PYTHON."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from retire_model.command import run

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "docs/smoke.schema.json").read_text())
PYTHON = Path(os.environ.get("ENGINE_PYTHON") or ROOT / ".venv-engine/bin/python")
SHORT = ["--tensor-parallel", "1", "--pipeline-parallel", "1", "--rounds", "1"]

pytestmark = [
    pytest.mark.engine,
    pytest.mark.release,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON} is not there (`make engine`, or ENGINE_PYTHON)"),
]


def test_gemma(engine_0_32: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The rewritten files themselves are run, and the hand-written class beside them."""
    copy = tmp_path / "vllm"
    assert run(["gemma", "--engine", "vllm==0.32.0", "--write", "--accept", "all", "--copy-to", str(copy)]) == 0
    capfd.readouterr()
    trees = ["--before", str(engine_0_32), "--after", str(copy)]
    status = run(["smoke", "gemma", *trees, "--engine-python", str(PYTHON), *SHORT, "--json"])
    out, err = capfd.readouterr()
    assert status == 0, out + err
    report = json.loads(out)
    jsonschema.validate(report, SCHEMA)
    (model,) = report["models"]
    outcomes = {check["name"].partition(":")[0]: check["outcome"] for check in model["checks"]}
    assert outcomes == {
        "loads": "passed",
        "served by the class expected": "passed",
        "log-probabilities against Transformers": "passed",
        "log-probabilities against before": "passed",
        "values that show": "passed",
        "LoRA adapter, against merged weights": "passed",
        "quantized load (fp8)": "inconclusive",
    }
    assert len(model["measurements"]) == 3
