"""`check --probe` on the small trees, with a Python that only answers what the test wants."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from retire_model.command import run
from retire_model.probe.report import HEADING
from rules.snippets import CONFIGURATION
from tests.retire_model.probe_answers import SAME, toy_answer
from tests.toy import write_engine, write_release

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/report.schema.json").read_text())
OTHER = {"difference": 0.5, "scale": 3.0, "error": None}


class Toy:
    """The small trees, and a Python for the probe."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.release = write_release(folder)
        self.options = ["--engine", str(write_engine(folder)), "--transformers", str(self.release)]

    def probe(self, *options: str, **changed: Any) -> int:
        python = self.folder / "python"
        answer = json.dumps(toy_answer(**changed))
        python.write_text(
            f"#!{sys.executable}\nimport json, os, sys\n"
            f"os.write(json.loads(sys.argv[-1])['pipe'], {answer!r}.encode() + b'\\n')\n"
        )
        python.chmod(0o755)
        return run(["check", "toy", *self.options, "--probe", "--probe-python", str(python), *options])


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


def test_agreement(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.probe() == 0
    out = capsys.readouterr().out
    assert "ToyForCausalLM built and run small: Transformers 5.0.0, torch 2.9.0" in out
    assert "the plan reaches 8 of 8" in out
    assert "ToyAttention: 2 calls of the attention interface by 2 layers" in out
    assert out.count("the same numbers") == 2
    assert HEADING not in out


def test_disagreement(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.probe(base_class="OtherModel") == 1
    out = capsys.readouterr().out
    assert HEADING in out
    assert "base class ToyModel" in out
    assert "OtherModel" in out


def test_stages_that_the_verdict_promises(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.probe(staged=OTHER) == 1
    assert "pipeline-stages" in capsys.readouterr().out


def test_what_is_not_there(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.probe(attention=[], ran=[], sharded=None, staged=None, transposed_linears=[["A", "b"]]) == 1
    out = capsys.readouterr().out
    assert "no module calls the attention interface" in out
    assert "no plan to share the linears by" in out
    assert "A.b" in out


def test_not_built(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.probe(not_built="needs another library") == 0
    out = capsys.readouterr().out
    assert "was not built with Transformers" in out
    assert "needs another library" in out


@pytest.mark.parametrize("changed", [{}, {"not_built": "a reason"}, {"base_class": "X", "sharded": SAME}])
def test_json(toy: Toy, capsys: pytest.CaptureFixture[str], changed: dict[str, Any]) -> None:
    toy.probe("--format", "json", **changed)
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, SCHEMA)
    assert report["probe"][0]["architecture"] == "ToyForCausalLM"
    assert (report["probe"][0]["built"] is None) is ("not_built" in changed)
    assert bool(report["probe"][0]["disagreements"]) is ("base_class" in changed)


def test_a_release_without_the_model_is_not_probed(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    (toy.release / "transformers/models/toy/modeling_toy.py").write_text("")
    (toy.release / "transformers/models/toy/configuration_toy.py").write_text(CONFIGURATION)
    assert toy.probe() == 1
    assert "built" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--probe", "--since"], "--since only names releases"),
        (["--probe-python", "python"], "go with --probe"),
        (["--probe-seconds", "3"], "go with --probe"),
        (["--probe", "--probe-python", "/no/such/python"], "there is no program /no/such/python"),
        (["--probe", "--probe-seconds", "0"], "not in the range"),
    ],
)
def test_wrong_use(toy: Toy, capsys: pytest.CaptureFixture[str], options: list[str], told: str) -> None:
    assert run(["check", "toy", *toy.options, *options]) == 2
    assert told in capsys.readouterr().err
