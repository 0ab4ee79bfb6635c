"""GPTBigCode retired by hand in vLLM 0.24.0, with one step left out: the review names it, and mends it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from retire_model.command import run
from retire_model.review.command import review
from retire_model.review.formats.github_review import github_review
from tests.retire_model.review.repositories import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.release

MODELS = "vllm/model_executor/models"
REGISTRY = f"{MODELS}/registry.py"
DOCS = "docs/models/supported_models.md"
PIPELINE = "tests/distributed/test_pipeline_parallel.py"
TESTED = "tests/models/registry.py"
IMPORTING = "tests/models/test_imports.py"
IMPORTS = f"""from {MODELS.replace("/", ".")}.gpt2 import GPT2LMHeadModel
from {MODELS.replace("/", ".")}.gpt_bigcode import GPTBigCodeForCausalLM


def test_gpt2():
    assert GPT2LMHeadModel


def test_gpt_bigcode():
    assert GPTBigCodeForCausalLM
"""
WORDS = "Retire GPTBigCode\n\nTensor parallel and pipeline parallel are lost: accepted."


@pytest.fixture(scope="module")
def both(engine_0_24: Path, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The tree, and the tool's own two results: the tag `migrated`, and `removed`."""
    root = tmp_path_factory.mktemp("engine") / "vllm"
    shutil.copytree(engine_0_24, root, symlinks=True)
    (root / IMPORTING).write_text(IMPORTS)
    repository = Repository(root)
    assert run(["lint", "--engine", str(root), "--baseline", str(root.parent / "old.json"), "--write-baseline"]) == 0
    for tag, options in (("migrated", ["--accept", "all"]), ("removed", ["--remove"])):
        assert run(["gpt_bigcode", "--engine", str(root), "--transformers", "5.5.3", "--write", *options]) == 0
        repository.commit(WORDS)
        repository.git("tag", tag)
        repository.git("reset", "-q", "--hard", "base")
    return repository


@pytest.fixture
def repository(both: Repository) -> Iterator[Repository]:
    yield both
    both.git("reset", "-q", "--hard", "base")


def begin(repository: Repository, result: str, *left_out: str) -> None:
    """The tool's own result, with the files `left_out` as they were."""
    repository.git("checkout", "-q", result, "--", ".")
    for file in repository.git("diff", "--name-only", "--diff-filter=D", "base", result).splitlines():
        (repository.root / file).unlink(missing_ok=True)
    for file in left_out:
        repository.git("checkout", "-q", "base", "--", file)


def reviewed(repository: Repository) -> tuple[list[str], str]:
    """The places and codes of all remarks, and the review for GitHub."""
    report = review(repository.root, "base", "HEAD", ["5.5.3"], "")
    assert report.unasked == ()
    return [f"{told.remark.location} {told.remark.code}" for told in report.told], github_review(report)


def assert_mended(repository: Repository, body: str, result: str) -> None:
    repository.take(body)
    repository.git("add", "-A", ".")
    assert repository.git("diff", "--cached", "--stat", result) == ""
    baseline = repository.root.parent / "old.json"
    assert run(["lint", "--engine", str(repository.root), "--baseline", str(baseline)]) == 0


def test_nothing_left_out(repository: Repository) -> None:
    for result in ("migrated", "removed"):
        repository.git("reset", "-q", "--hard", result)
        assert reviewed(repository)[0] == []


@pytest.mark.parametrize(
    ("left_out", "text", "code"),
    [
        (DOCS, "| `GPTBigCodeForCausalLM`", "misplaced-docs-row"),
        (PIPELINE, "bigcode/starcoder", "incomplete-retirement"),
        (REGISTRY, '"GPTBigCodeForCausalLM"', "registry-target"),
        (IMPORTING, "import GPTBigCodeForCausalLM", "dangling-import"),
        (f"{MODELS}/gpt_bigcode.py", "", "incomplete-retirement"),
    ],
)
def test_one_step_left_out(left_out: str, text: str, code: str, repository: Repository) -> None:
    begin(repository, "migrated", left_out)
    repository.commit(WORDS)
    places, body = reviewed(repository)
    assert places == [f"{left_out}:{repository.line(left_out, text)} {code}"]
    assert_mended(repository, body, "migrated")


def test_registry_entry_moved_and_left(repository: Repository) -> None:
    begin(repository, "migrated")
    repository.change(
        REGISTRY,
        '    "GPTJForCausalLM"',
        '    "GPTBigCodeForCausalLM": ("gpt_bigcode", "GPTBigCodeForCausalLM"),\n    "GPTJForCausalLM"',
    )
    repository.commit(WORDS)
    places, body = reviewed(repository)
    line = repository.line(REGISTRY, '"GPTBigCodeForCausalLM"')
    assert f"{REGISTRY}:{line} registry-target" in places
    assert_mended(repository, body, "migrated")


def test_test_entry_taken_away(repository: Repository) -> None:
    begin(repository, "migrated")
    text = repository.read(TESTED)
    line = repository.line(TESTED, '"GPTBigCodeForCausalLM": _HfExamplesInfo(')
    start = text.index('    "GPTBigCodeForCausalLM": _HfExamplesInfo(')
    end = text.index("\n    ),\n", start) + len("\n    ),\n")
    repository.write(TESTED, text[:start] + text[end:])
    repository.commit(WORDS)
    places, body = reviewed(repository)
    assert places == [f"{TESTED}:{line} incomplete-retirement"]
    assert_mended(repository, body, "migrated")


def test_test_entry_left(repository: Repository) -> None:
    begin(repository, "removed", TESTED)
    repository.commit(WORDS)
    places, body = reviewed(repository)
    line = repository.line(TESTED, '"GPTBigCodeForCausalLM"')
    assert f"{TESTED}:{line} dead-test-entry" in places
    assert_mended(repository, body, "removed")


def test_wrong_cell_is_a_suggestion(repository: Repository) -> None:
    begin(repository, "migrated")
    row = next(line for line in repository.read(DOCS).split("\n") if line.startswith("| `GPTBigCodeForCausalLM`"))
    ticked = repository.git("show", f"base:{DOCS}").split("| `GPTBigCodeForCausalLM`")[1].split("\n")[0]
    repository.change(DOCS, row, f"| `GPTBigCodeForCausalLM`{ticked}")
    repository.commit(WORDS)
    places, body = reviewed(repository)
    assert places == [f"{DOCS}:{repository.line(DOCS, '| `GPTBigCodeForCausalLM`')} wrong-docs-cell"]
    assert "```suggestion\n" in json.loads(body)["comments"][0]["body"]
    assert "```diff" not in json.loads(body)["body"]
    assert_mended(repository, body, "migrated")


def test_loss_without_a_word(repository: Repository) -> None:
    begin(repository, "migrated")
    repository.commit("Retire GPTBigCode, TP is lost")
    places, _ = reviewed(repository)
    assert places == [f"{REGISTRY}:{repository.line(REGISTRY, 'GPTBigCodeForCausalLM')} unmentioned-loss"]
