"""One case in the real engine. Needs what `make engine` makes, or ENGINE_PYTHON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retire_model.command import run
from tests.retire_model.smoke.test_engine import PYTHON

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.engine,
    pytest.mark.release,
    pytest.mark.skipif(not PYTHON.exists(), reason=f"{PYTHON} is not there (`make engine`, or ENGINE_PYTHON)"),
]


def test_a_model_that_cannot_go(engine_0_32: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It does not load, which takes the least time."""
    options = ["--tensor-parallel", "1", "--pipeline-parallel", "1", "--results", str(tmp_path / "results.jsonl")]
    words = [
        "prove",
        "gpt2",
        "--before",
        str(engine_0_32),
        "--engine-python",
        str(PYTHON),
        *options,
        "--format",
        "json",
    ]
    for attempt in ("run", "looked up"):
        status = run(words)
        out, err = capfd.readouterr()
        assert status == 1, out + err
        (case,) = json.loads(out)["cases"]
        assert (case["architecture"], case["outcome"]) == ("GPT2LMHeadModel", "failed"), attempt
        assert case["reason"].startswith("loads: ")
        assert ("1 of 1" in err) is (attempt == "run")
