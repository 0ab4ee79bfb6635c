"""The matrix for GitHub's jobs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from retire_model.command import run
from retire_model.prove import matrix

if TYPE_CHECKING:
    import pytest

    from tests.retire_model.prove.conftest import Place


def words(place: Place, *more: str) -> list[str]:
    trees = ("--before", str(place.trees.engine), "--transformers", str(place.trees.release))
    return ["prove", "--matrix", "github", *trees, *more]


def test_a_job_a_case(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words(place, "toy")) == 0
    out = capsys.readouterr().out
    (line,) = out.splitlines()
    label = json.loads(line)["include"][0]["transformers"]
    assert json.loads(line) == {
        "include": [
            {"architecture": "ToyForCausalLM", "transformers": label, "tensor-parallel": 1},
            {"architecture": "ToyForCausalLM", "transformers": label, "tensor-parallel": 2},
        ]
    }


def test_what_is_eligible(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words(place, "--eligible", "--tensor-parallel", "4")) == 0
    (job,) = json.loads(capsys.readouterr().out)["include"]
    assert (job["architecture"], job["tensor-parallel"]) == ("ToyForCausalLM", 4)


def test_no_more_than_github_takes(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(matrix, "MOST_JOBS", 1)
    assert run(words(place, "toy")) == 0
    out, err = capsys.readouterr()
    assert len(json.loads(out)["include"]) == 1
    assert "1 case left out, from ToyForCausalLM on" in err
