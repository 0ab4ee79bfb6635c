"""The first release with which a model can be retired."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import jsonschema
import pytest
from packaging.version import Version

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.model_names import BespokeModel
from retire_model.command import run
from retire_model.reports.since_report import since_report
from retire_model.since import Eligibility, eligible_since
from retire_model.sources.engine_argument import EngineFolder
from retire_model.sources.releases import ReleaseCache
from retire_model.sources.trees import Trees
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, PP_PLAN_LINES, changed
from tests.toy import write_engine, write_release

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/report.schema.json").read_text())
TRANSPOSED = Snippet(modeling=changed(MODELING, "self.o_proj = nn.Linear(", "self.o_proj = Conv1D("))
NO_PIPELINE = Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, ""))
TOY = BespokeModel("toy", ("ToyForCausalLM",), whole=True)


class Cache:
    """The releases of a made-up index."""

    def __init__(self, folder: Path, releases: dict[str, Snippet]) -> None:
        self.roots = {v: write_release(folder / v, s) for v, s in releases.items()}
        self.read: list[str] = []

    def admitted(self, _name: str, specifier: object) -> list[Version]:
        return [Version(v) for v in self.roots if v in specifier]  # type: ignore[operator]

    def transformers(self, version: Version) -> Path:
        self.read.append(str(version))
        return self.roots[str(version)]


def walk(folder: Path, releases: dict[str, Snippet]) -> tuple[Eligibility, list[str]]:
    root = write_engine(folder)
    cache = Cache(folder, releases)
    trees = Trees(open_engine_tree(root), (), EngineFolder(root), cast("ReleaseCache", cache))
    (found,) = eligible_since(trees, [TOY])
    return found, cache.read


def test_stops_at_the_first_without_a_loss(tmp_path: Path) -> None:
    releases = {"5.0.0": TRANSPOSED, "5.1.0": NO_PIPELINE, "5.2.0": Snippet(), "5.3.0": Snippet()}
    found, read = walk(tmp_path, releases)
    assert (found.with_losses, found.without_losses) == (Version("5.1.0"), Version("5.2.0"))
    assert str(found) == "toy: eligible with losses from Transformers 5.1.0 on, without from 5.2.0 on"
    assert read == ["5.0.0", "5.1.0", "5.2.0"]


@pytest.mark.parametrize(
    ("releases", "sentence"),
    [
        ({"5.0.0": TRANSPOSED}, "toy: not eligible with any Transformers release from 5.0.0 to 5.0.0"),
        ({"5.0.0": NO_PIPELINE}, "toy: eligible from Transformers 5.0.0 on, with losses up to 5.0.0"),
        ({"5.0.0": Snippet(), "6.0.0": Snippet()}, "toy: eligible from Transformers 5.0.0 on, nothing is lost"),
    ],
)
def test_sentences(tmp_path: Path, releases: dict[str, Snippet], sentence: str) -> None:
    assert str(walk(tmp_path, releases)[0]) == sentence


def test_tells_what_stands_in_the_way(tmp_path: Path) -> None:
    releases = {"5.0.0": TRANSPOSED, "5.1.0": NO_PIPELINE, "5.2.0": Snippet()}
    found, _ = walk(tmp_path / "mended", releases)
    assert [j.release for j in found.assessment.judgements] == ["5.1.0", "5.2.0"]
    sentence, loss, *_ = since_report([found]).plain.splitlines()
    assert sentence == str(found)
    assert loss.startswith("loses    ToyConfig has no base_model_pp_plan")
    found, _ = walk(tmp_path / "never", {"5.0.0": TRANSPOSED})
    assert "blocks   ToyAttention.o_proj is a Conv1D" in since_report([found]).plain
    found, _ = walk(tmp_path / "clean", {"5.0.0": Snippet()})
    assert since_report([found]).plain == str(found)


def test_json_keeps_its_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ReleaseCache, "admitted", lambda *_: [Version("5.0.0")])
    monkeypatch.setattr(ReleaseCache, "transformers", lambda *_: write_release(tmp_path, NO_PIPELINE))
    options = ["--engine", str(write_engine(tmp_path)), "--transformers", str(write_release(tmp_path / "other"))]
    assert run(["check", "toy", "--since", "--format", "json", *options]) == 1
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SCHEMA)
    (walked,) = content["since"]
    assert walked == {"name": "toy", "with_losses": "5.0.0", "without_losses": None, "first": "5.0.0", "last": "5.0.0"}
    assert content["models"][0]["judgements"][0]["transformers"] == "5.0.0"
