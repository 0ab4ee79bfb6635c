"""`retire-model check --downstream`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema

from retire_model.command import run
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    import pytest

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/report.schema.json").read_text())


def check(folder: Path, text: str, *options: str) -> int:
    plugin = folder / "plugin"
    plugin.mkdir()
    (plugin / "models.py").write_text(text)
    trees = ["--engine", str(write_engine(folder)), "--transformers", str(write_release(folder))]
    return run(["check", "toy", *trees, "--downstream", str(plugin), *options])


def test_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "from vllm.model_executor.models.toy import ToyModel\n") == 1
    line = f"{tmp_path}/plugin/models.py:1   toy   ToyModel   import"
    assert capsys.readouterr().out.endswith(f"\nDownstream, this breaks:\n{line}\n")


def test_nothing_downstream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "from vllm.model_executor.models.other import Other\n") == 0
    assert capsys.readouterr().out.endswith("\nDownstream: nothing needs what is to go.\n")


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "import vllm.model_executor.models.toy\n", "--format", "json") == 1
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, SCHEMA)
    assert report["downstream"] == [
        {
            "tree": str(tmp_path / "plugin"),
            "module": "toy",
            "symbols": [],
            "kind": "import",
            "location": {"file": "models.py", "line": 1, "column": 8},
        }
    ]


def test_no_such_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trees = ["--engine", str(write_engine(tmp_path)), "--transformers", str(write_release(tmp_path))]
    assert run(["check", "toy", *trees, "--downstream", str(tmp_path / "gone")]) == 2
    assert "there is no such folder" in capsys.readouterr().err


def test_not_with_since(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "", "--since") == 2
    assert "--downstream" in capsys.readouterr().err
