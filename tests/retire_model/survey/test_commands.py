"""`retire-model survey` and `retire-model history` on the small trees."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from packaging.version import Version

from retire_model.command import run
from retire_model.sources.releases import ReleaseCache
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, PP_PLAN_LINES, changed
from tests.retire_model.survey.toy_survey import MODELS, ToyTrees
from tests.toy import write_engine

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/report.schema.json").read_text())


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToyTrees:
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    return ToyTrees(tmp_path)


def survey(toy: ToyTrees, *options: str) -> int:
    return run(["survey", *toy.options, *options])


def test_text(toy: ToyTrees, capsys: pytest.CaptureFixture[str]) -> None:
    assert survey(toy) == 0
    out = capsys.readouterr().out
    assert "3 hand-written models" in out
    assert "1 can be retired, nothing is lost" in out or "can be retired, nothing is lost" in out
    assert "toy" in out
    assert survey(toy, "--only", "with-losses") == 0
    assert "No model is like that." in capsys.readouterr().out


def test_json_keeps_to_the_schema(toy: ToyTrees, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    baseline = str(tmp_path / "baseline.json")
    assert survey(toy, "--baseline", baseline) == 0
    capsys.readouterr()
    assert survey(toy, "--format", "json", "--diff", baseline) == 0
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SCHEMA)
    assert [m["module"] for m in content["models"]] == [r["module"] for r in content["survey"]["rows"]]
    assert content["survey"]["changes"]["eligible"] == []


def test_tables(toy: ToyTrees, capsys: pytest.CaptureFixture[str]) -> None:
    toy.change(f"{MODELS}/registry.py", '"ToyForCausalLM":', '"=Toy|<b>":')
    assert survey(toy, "--format", "csv", "--sort", "module") == 0
    header, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert header[:3] == ["module", "architectures", "verdict"]
    (row,) = (row for row in rows if row[0] == "toy")
    assert row[1].startswith("'=Toy")
    assert survey(toy, "--format", "markdown", "--sort", "module") == 0
    assert "| =Toy\\|&lt;b> " in capsys.readouterr().out.replace("| toy ", "")


def test_what_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    before = ToyTrees(tmp_path / "before", Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, "")))
    after = ToyTrees(tmp_path / "after")
    baseline = str(tmp_path / "baseline.json")
    assert survey(before, "--baseline", baseline) == 0
    capsys.readouterr()
    assert survey(after, "--diff", baseline) == 0
    assert "1 lose less: toy" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "models": {}}', '{"version": 1, "models": {"a": 1}}'])
def test_a_file_that_is_no_baseline(
    toy: ToyTrees, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(text)
    assert survey(toy, "--diff", str(file)) == 2
    assert str(file) in capsys.readouterr().err
    assert survey(toy, "--baseline", str(file)) == 2
    assert file.read_text() == text
    assert survey(toy, "--diff", str(tmp_path / "none")) == 2
    assert survey(toy, "--baseline", str(tmp_path / "no/folder.json")) == 2
    assert survey(toy, "--html", str(tmp_path / "no/folder.html")) == 2


def test_history(toy: ToyTrees, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folders = {}
    for version in ("0.2.0", "0.3.0"):
        folder = toy.engine.parent / version
        folder.mkdir()
        folders[Version(version)] = write_engine(folder)
    with (folders[Version("0.3.0")] / MODELS / "toy.py").open("a") as file:
        file.write("# one more\n")

    def admitted(_: ReleaseCache, name: str, specifier: SpecifierSet) -> list[Version]:
        assert name == "vllm"
        return [version for version in folders if version in specifier]

    monkeypatch.setattr(ReleaseCache, "admitted", admitted)
    monkeypatch.setattr(ReleaseCache, "engine", lambda _, version: folders[version])
    assert run(["history", "vllm==0.2.0..0.3.0", "--format", "json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["releases"]
    assert (first["version"], second["version"]) == ("0.2.0", "0.3.0")
    assert second["lines"] == first["lines"] + 1
    page = toy.engine.parent / "history.html"
    assert run(["history", "vllm==0.3.0..0.3.0", "--html", str(page)]) == 0
    assert "0.3.0" in capsys.readouterr().out
    assert f"{second['lines']:,}" in page.read_text()
    for wrong in ("vllm", "0.1..0.2", "vllm==0.3.0..0.2.0", "vllm==x..y"):
        assert run(["history", wrong]) == 2
        assert "Write vllm==" in capsys.readouterr().err


def test_ages(toy: ToyTrees, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(ReleaseCache, "cached_versions", lambda *_: [Version("0.2.0"), Version("0.3.0")])
    monkeypatch.setattr(ReleaseCache, "engine", lambda *_: toy.engine)
    assert survey(toy, "--history", "--format", "json") == 0
    assert {r["since"] for r in json.loads(capsys.readouterr().out)["survey"]["rows"]} == {"0.2.0 or before"}


def test_ages_by_git(toy: ToyTrees, capsys: pytest.CaptureFixture[str]) -> None:
    import subprocess

    who = ("-c", "user.name=x", "-c", "user.email=x@x")
    when = {
        "GIT_AUTHOR_DATE": "2024-02-03T00:00:00",
        "GIT_COMMITTER_DATE": "2024-02-03T00:00:00",
        "PATH": "/usr/bin:/bin",
    }
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "x")):
        subprocess.run(("git", *words), cwd=toy.engine, check=True, env=when)
    assert survey(toy, "--format", "json") == 0
    assert {r["since"] for r in json.loads(capsys.readouterr().out)["survey"]["rows"]} == {"2024-02-03"}
