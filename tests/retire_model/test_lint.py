"""`retire-model lint`: its output, its exit status, its baseline, and one clear line for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from analyzer.locations import Location
from retire_model.command import run
from retire_model.reports.fault_reports import github_report, json_report, text_report
from rules.lint.check import Fault
from tests.analyzer.source.test_source_tree import make_pipe
from tests.rules.lint.sound_tree import DOCS, SoundTree

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/lint.schema.json").read_text())
MESSAGE = "the docs list GoneForCausalLM, which is not in the registry"


@pytest.fixture
def sound(tmp_path: Path) -> SoundTree:
    return SoundTree(tmp_path)


@pytest.fixture
def faulty(sound: SoundTree) -> SoundTree:
    sound.change(DOCS, "| `ToyForCausalLM` |", "| `GoneForCausalLM`, `ToyForCausalLM` |")
    return sound


def lint(tree: SoundTree, *options: str) -> int:
    return run(["lint", "--engine", str(tree.root), *options])


def test_silent_on_a_sound_tree(sound: SoundTree, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(sound) == 0
    assert capsys.readouterr() == ("No fault found.\n", "")


def test_one_line_a_fault(faulty: SoundTree, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(faulty) == 1
    line = faulty.line(DOCS, "GoneForCausalLM")
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == f"{DOCS}:{line}: {MESSAGE} [dead-docs-row]"
    assert rest[:2] == ["", "1 fault: 1 dead-docs-row."]
    assert "`retire-model explain dead-docs-row`" in rest[2]


def test_json(faulty: SoundTree, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(faulty, "--format", "json") == 1
    content = json.loads(capsys.readouterr().out)
    jsonschema.validate(content, SCHEMA)
    (fault,) = content["faults"]
    assert fault == {
        "check": "dead-docs-row",
        "message": MESSAGE,
        "location": {"file": DOCS, "line": faulty.line(DOCS, "GoneForCausalLM"), "column": 4},
        "remedy": "Take the row away, or mend its name.",
    }


def test_github(faulty: SoundTree, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(faulty, "--format", "github") == 1
    line = faulty.line(DOCS, "GoneForCausalLM")
    assert capsys.readouterr().out == (
        f"::error file={DOCS},line={line},col=4,title=dead-docs-row::{MESSAGE}. Take the row away, or mend its name.\n"
    )


def test_names_of_a_tree_are_no_commands() -> None:
    fault = Fault(Location("a,b:c\n::set-output name=x.py", 1), "dangling-import", "50%\n::stop\x1b[31m", "Mend.")
    (command, rest) = github_report([fault]).split("\n")
    assert rest == ""
    assert command.startswith("::error file=a%2Cb%3Ac%0A%3A%3Aset-output name=x.py,line=1,")
    assert command.endswith("::50%25%0A::stop\x1b[31m. Mend.")
    assert text_report([fault]).partition("\n\n")[0].count("\n") == 0
    assert "\x1b" not in text_report([fault])
    assert json.loads(json_report([fault]))["faults"][0]["message"] == fault.message


def test_baseline(faulty: SoundTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline = tmp_path / "old.json"
    assert lint(faulty, "--baseline", str(baseline), "--write-baseline") == 0
    assert capsys.readouterr().err == f"1 fault written to {baseline}.\n"
    faulty.change(DOCS, "# Supported Models\n", "# Supported Models\n\nA line more.\n")
    assert lint(faulty, "--baseline", str(baseline)) == 0
    assert capsys.readouterr().out == "No fault found.\n"
    faulty.change(DOCS, "| `OtherForCausalLM` |", "| `GoneForCausalLM`, `OtherForCausalLM` |")
    faulty.change(DOCS, "| `AcornForCausalLM` |", "| `LostForCausalLM`, `AcornForCausalLM` |")
    assert lint(faulty, "--baseline", str(baseline)) == 1
    told = capsys.readouterr().out.splitlines()
    assert sum("[dead-docs-row]" in line for line in told) == 2
    assert sum("LostForCausalLM" in line for line in told) == 1
    assert "2 faults: 2 dead-docs-row." in told


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 1, "faults": [1]}', '{"version": 1}'])
def test_no_baseline(content: str, sound: SoundTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.json").write_text(content)
    assert lint(sound, "--baseline", str(tmp_path / "old.json")) == 2
    assert "old.json is no baseline" in capsys.readouterr().err


def test_baseline_of_another_version(sound: SoundTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.json").write_text('{"version": 2, "faults": []}')
    assert lint(sound, "--baseline", str(tmp_path / "old.json")) == 2
    assert "is a baseline of another version" in capsys.readouterr().err


def test_baseline_that_cannot_be_read_or_written(
    sound: SoundTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "no" / "old.json"
    assert lint(sound, "--baseline", str(missing)) == 2
    assert lint(sound, "--baseline", str(missing), "--write-baseline") == 2
    assert lint(sound, "--write-baseline") == 2
    error = capsys.readouterr().err
    assert f"cannot read {missing}" in error
    assert f"cannot write {missing}" in error
    assert "--write-baseline needs a file" in error


@pytest.mark.parametrize(
    "content", ["# Read me\n", "x = 1\n", '{"version": 1, "faults": [{"check": "a"}]}', "[" * 99999]
)
def test_a_file_that_is_no_baseline_is_not_replaced(
    content: str, faulty: SoundTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "README.md"
    file.write_text(content)
    assert lint(faulty, "--baseline", str(file), "--write-baseline") == 2
    assert file.read_text() == content
    assert "README.md is no baseline" in capsys.readouterr().err


@pytest.mark.parametrize("version", [1, 2])
def test_a_baseline_is_replaced(version: int, faulty: SoundTree, tmp_path: Path) -> None:
    file = tmp_path / "old.json"
    file.write_text(f'{{"version": {version}, "faults": []}}')
    file.chmod(0o640)
    assert lint(faulty, "--baseline", str(file), "--write-baseline") == 0
    assert lint(faulty, "--baseline", str(file)) == 0
    assert file.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir() if "retire" in p.name] == []


def test_a_baseline_follows_no_link(faulty: SoundTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "elsewhere.json").write_text('{"version": 1, "faults": []}')
    for target in ("elsewhere.json", "nowhere.json"):
        link = tmp_path / f"to-{target}"
        link.symlink_to(target)
        assert lint(faulty, "--baseline", str(link), "--write-baseline") == 2
        assert "is a link" in capsys.readouterr().err
    assert (tmp_path / "elsewhere.json").read_text() == '{"version": 1, "faults": []}'
    assert not (tmp_path / "nowhere.json").exists()


def test_a_baseline_is_written_whole_or_not(
    faulty: SoundTree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "old.json"
    file.write_text('{"version": 1, "faults": []}')

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    assert lint(faulty, "--baseline", str(file), "--write-baseline") == 2
    assert "cannot write" in capsys.readouterr().err
    assert file.read_text() == '{"version": 1, "faults": []}'
    assert [p.name for p in tmp_path.iterdir() if "retire" in p.name] == []


def test_a_pipe_is_no_baseline(faulty: SoundTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_pipe(tmp_path / "pipe")
    for options in ((), ("--write-baseline",)):
        assert lint(faulty, "--baseline", str(tmp_path / "pipe"), *options) == 2
        assert "not a regular file" in capsys.readouterr().err


def test_folder_that_is_no_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--engine", str(tmp_path)]) == 2
    assert "is not an engine tree" in capsys.readouterr().err


def test_pages_of_checks(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "dead-docs-row"]) == 0
    assert "Whether every architecture that the docs list is served." in capsys.readouterr().out
    assert run(["rules"]) == 0
    assert "dead-docs-row" in capsys.readouterr().out
