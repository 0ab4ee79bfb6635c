"""`retire-model review` on the small tree: what it says of a change, and what a hostile change can do to it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from retire_model.command import run
from tests.rules.lint.sound_tree import DOCS, MODELS, REGISTRY, TESTED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.retire_model.review.conftest import Reviewed

TOY = f"{MODELS}/toy.py"
ENTRY = '    "ToyForCausalLM": ("toy", "ToyForCausalLM"),\n'
MOVED = '    "ToyForCausalLM": ("transformers", "TransformersForCausalLM"),\n'
PIPELINE = "tests/distributed/test_pipeline_parallel.py"
SAID = "pipeline parallel is lost"


def test_a_whole_retirement(small: Reviewed) -> None:
    small.retire()
    small.repository.commit(SAID)
    report = small.report()
    assert report.told == ()
    verdict = "retire-with-losses with Transformers 5.0.0, loses pipeline-parallel"
    assert report.headlines == (f"ToyForCausalLM to the backend: {verdict}",)


def test_a_registry_that_cannot_be_parsed(small: Reviewed) -> None:
    small.repository.change(REGISTRY, ENTRY, f"<<<<<<< HEAD\n{ENTRY}")
    small.repository.commit("A conflict")
    report = small.report()
    line = small.repository.line(REGISTRY, "<<<<<<< HEAD")
    assert small.told() == [f"{REGISTRY}:{line} unparsable-file"]
    assert report.told[0].inline
    assert "is not valid Python" in report.told[0].remark.message
    assert report.unasked[0].startswith(f"everything else: {REGISTRY}:{line} is not valid Python")


def test_a_file_that_cannot_be_parsed_and_the_rest(small: Reviewed) -> None:
    (small.repository.root / TOY).unlink()
    small.repository.write("tests/models/broken.py", "def broken(:\n")
    small.repository.commit(SAID)
    assert "tests/models/broken.py:1 unparsable-file" in small.told()
    assert f"{REGISTRY}:{small.repository.line(REGISTRY, ENTRY.strip())} registry-target" in small.told()


def test_a_model_that_is_given_up(small: Reviewed) -> None:
    options = ["--engine", str(small.repository.root), "--transformers", str(small.release), "--remove"]
    assert run(["toy", *options, "--write"]) == 0
    small.repository.commit("Nobody uses it")
    assert small.told() == []
    assert small.report().headlines == ("ToyForCausalLM given up",)


def test_what_the_author_says_elsewhere_counts(small: Reviewed) -> None:
    small.retire()
    small.repository.commit("Retire the toy")
    line = small.repository.line(REGISTRY, MOVED.strip())
    assert small.told() == [f"{REGISTRY}:{line} unmentioned-loss"]
    assert small.told("PP goes, and that is fine.") == []


def test_a_deletion_and_nothing_else(small: Reviewed) -> None:
    (small.repository.root / TOY).unlink()
    small.repository.commit(SAID)
    assert small.told() == [
        f"{DOCS}:{small.repository.line(DOCS, '`ToyForCausalLM`')} incomplete-retirement",
        f"{PIPELINE}:{small.repository.line(PIPELINE, 'org/toy-1b')} incomplete-retirement",
        f"{REGISTRY}:{small.repository.line(REGISTRY, ENTRY.strip())} registry-target",
    ]


def test_a_model_that_the_backend_cannot_load(small: Reviewed) -> None:
    modeling = next(small.release.rglob("modeling_toy.py"))
    modeling.write_text(modeling.read_text().replace("self.o_proj = nn.Linear(", "self.o_proj = Conv1D("))
    (small.repository.root / TOY).unlink()
    small.repository.change(REGISTRY, ENTRY, "")
    small.repository.change(REGISTRY, '    "ZebraForCausalLM"', f'{MOVED}    "ZebraForCausalLM"')
    small.repository.commit("Everything is lost: PP, TP, LoRA")
    assert f"{REGISTRY}:{small.repository.line(REGISTRY, MOVED.strip())} unmentioned-loss" in small.told()


def test_a_module_that_is_still_needed_keeps_its_file(small: Reviewed) -> None:
    small.repository.write(f"{MODELS}/needing.py", "from .toy import ToyForCausalLM\n")
    small.repository.change(REGISTRY, ENTRY, "")
    small.repository.change(REGISTRY, '    "ZebraForCausalLM"', f'{MOVED}    "ZebraForCausalLM"')
    small.repository.commit(SAID)
    assert not any(place.startswith(TOY) for place in small.told())


def test_a_model_that_comes_back(small: Reviewed) -> None:
    small.repository.write(f"{MODELS}/acorn.py", small.repository.read(TOY))
    small.repository.change(REGISTRY, '    "AcornForCausalLM": ("transformers", "TransformersForCausalLM"),\n', "")
    small.repository.change(REGISTRY, ENTRY, f'    "AcornForCausalLM": ("acorn", "ToyForCausalLM"),\n{ENTRY}')
    small.repository.commit("A file for Acorn")
    line = small.repository.line(REGISTRY, '"AcornForCausalLM"')
    assert f"{REGISTRY}:{line} needless-module" in small.told()
    small.repository.change(
        REGISTRY, 'ToyForCausalLM"),\n', 'ToyForCausalLM"),  # retire-model: ignore[needless-module] twice as fast\n'
    )
    small.repository.commit("Say why")
    assert not any("needless-module" in place for place in small.told())


def test_without_transformers_the_rest_is_checked(small: Reviewed, tmp_path: Path) -> None:
    from retire_model.review.command import review

    (small.repository.root / "requirements/common.txt").unlink()
    (small.repository.root / TOY).unlink()
    small.repository.commit("Retire the toy")
    report = review(small.repository.root, "base", "HEAD", [], "")
    assert [told.remark.code for told in report.told] == ["registry-target"]
    (reason,) = report.unasked
    assert "has no requirements/common.txt" in reason
    del tmp_path


@pytest.mark.parametrize(("level", "status"), [("never", 0), ("error", 1), ("warning", 1)])
def test_exit_status(level: str, status: int, small: Reviewed) -> None:
    small.repository.change(REGISTRY, '("twin", "TwinForCausalLM")', '("twins", "TwinForCausalLM")')
    small.repository.commit("A slip")
    options = ["--engine", str(small.repository.root), "--transformers", str(small.release), "--base", "base"]
    assert run(["review", *options, "--fail-level", level]) == status


def test_old_faults_are_nobodys_here(small: Reviewed) -> None:
    small.repository.change(TESTED, '"ToyForCausalLM"', '"LostForCausalLM"')
    small.repository.commit("Before")
    small.repository.git("tag", "-f", "base")
    small.repository.change(DOCS, "# Supported Models\n", "# Supported Models\n\nA line.\n")
    small.repository.commit("A line")
    assert small.told() == []


def test_suggestion_only_inside_a_hunk(small: Reviewed) -> None:
    small.repository.change(PIPELINE, '"org/twin": ', '"org/twins": ')
    (small.repository.root / TOY).unlink()
    small.repository.change(REGISTRY, ENTRY, "")
    small.repository.change(REGISTRY, '    "ZebraForCausalLM"', f'{MOVED}    "ZebraForCausalLM"')
    small.repository.commit(SAID)
    by_file = {told.remark.location.file: told for told in small.report().told}
    assert by_file[PIPELINE].suggestion is not None
    assert by_file[PIPELINE].inline
    assert by_file[DOCS].suggestion is None
    assert not by_file[DOCS].inline
    assert [edit.file for edit in small.report().patch] == [DOCS]
    small.repository.take(small.text("github-review"))
    assert "org/toy-1b" not in small.repository.read(PIPELINE)
    assert small.repository.git("status", "--porcelain").count(" M ") == 2


def test_nothing_is_written_or_checked_out(small: Reviewed) -> None:
    (small.repository.root / TOY).unlink()
    small.repository.commit(SAID)
    small.repository.git("checkout", "-q", "base")
    before = small.repository.git("status", "--porcelain"), small.repository.git("rev-parse", "HEAD")
    report = run(["review", "--engine", str(small.repository.root), "--base", "base", "--head", "main"])
    assert report in {1, 2}
    assert (small.repository.git("status", "--porcelain"), small.repository.git("rev-parse", "HEAD")) == before


def test_hostile_files(small: Reviewed, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("# secret\n\n| Architecture | Models |\n| --- | --- |\n| `SecretForCausalLM` | x |\n")
    root = small.repository.root
    (root / "docs/link.md").symlink_to(secret)
    (root / "docs/folder").symlink_to(tmp_path)
    small.repository.write(".gitattributes", f"{REGISTRY} export-ignore\n*.py diff=evil filter=evil\n")
    small.repository.write("docs/::set-output name=x::y.md", "x\n")
    small.repository.write("docs/new\nline.md", "x\n")
    small.repository.write("docs/-rf.md", "x\n")
    with open(os.fsencode(root) + b"/docs/\xff.md", "wb") as file:  # noqa: PTH123 - a name that is no text
        file.write(b"x\n")
    (root / TOY).unlink()
    small.repository.commit(SAID)
    report = small.report()
    assert not any("Secret" in told.remark.message for told in report.told)
    assert {told.remark.code for told in report.told} == {"registry-target", "incomplete-retirement"}


def test_programs_that_the_repository_names_are_not_run(small: Reviewed, tmp_path: Path) -> None:
    for name in ("diff.external", "diff.evil.textconv", "core.fsmonitor", "core.pager", "filter.evil.smudge"):
        small.repository.git("config", name, f"touch {tmp_path / 'run'};")
    small.repository.write(".gitattributes", "*.py diff=evil filter=evil\n")
    (small.repository.root / TOY).unlink()
    small.repository.commit(SAID)
    (tmp_path / "run").unlink(missing_ok=True)
    small.report()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--base", "nowhere"], "no commit 'nowhere'"),
        (["--base", "--upload-pack=x"], "no commit '--upload-pack=x'"),
        (["--base", "base", "--head", "orphan"], "does not say where"),
        (["--base", "base", "--description", "none.txt"], "cannot read none.txt"),
    ],
)
def test_wrong_use(options: list[str], problem: str, small: Reviewed, capsys: pytest.CaptureFixture[str]) -> None:
    small.repository.git("checkout", "-q", "--orphan", "orphan")
    small.repository.commit("Another beginning")
    small.repository.git("checkout", "-q", "main")
    assert run(["review", "--engine", str(small.repository.root), *options]) == 2
    assert problem in capsys.readouterr().err


def test_a_folder_that_is_no_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["review", "--engine", str(tmp_path), "--base", "x"]) == 2
    assert "git rev-parse failed" in capsys.readouterr().err
