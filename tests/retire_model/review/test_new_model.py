"""`retire-model new-model`: what it says of the modeling files that the work tree adds, without the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retire_model.command import run
from retire_model.sources import release_fetching
from tests.rules.lint.sound_tree import MODELS, REGISTRY

if TYPE_CHECKING:
    from pathlib import Path

    from tests.retire_model.review.conftest import Reviewed

ENTRY = '    "ToyForCausalLM": ("toy", "ToyForCausalLM"),\n'


@pytest.fixture
def without_toy(small: Reviewed) -> Reviewed:
    """The last commit has no toy model; the work tree adds one."""
    toy, registry = f"{MODELS}/toy.py", small.repository.read(REGISTRY)
    content = small.repository.read(toy)
    (small.repository.root / toy).unlink()
    small.repository.change(REGISTRY, ENTRY, "")
    small.repository.commit("No toy yet")
    small.repository.write(toy, content)
    small.repository.write(REGISTRY, registry)
    return small


def new_model(small: Reviewed, *options: str) -> int:
    return run(["new-model", "--engine", str(small.repository.root), *options])


def test_says_what_it_would_take(without_toy: Reviewed, capsys: pytest.CaptureFixture[str]) -> None:
    assert new_model(without_toy, "--transformers", str(without_toy.release)) == 1
    line = without_toy.repository.line(REGISTRY, ENTRY.strip())
    first, serves, lacks, mend = capsys.readouterr().out.splitlines()
    assert first == f"{REGISTRY}:{line}: ToyForCausalLM gets the module toy [needless-module]"
    assert serves.strip() == (
        'the backend serves it as ("transformers", "TransformersForCausalLM") with Transformers 5.0.0, '
        "save for pipeline-parallel"
    )
    assert lacks.strip().startswith("it lacks pipeline-parallel: ToyConfig has no base_model_pp_plan")
    assert lacks.endswith("Add base_model_pp_plan to the configuration class")
    assert "# retire-model: ignore[needless-module] reason" in mend


def test_a_model_that_the_backend_cannot_load_needs_its_file(without_toy: Reviewed) -> None:
    modeling = next(without_toy.release.rglob("modeling_toy.py"))
    modeling.write_text(modeling.read_text().replace("self.o_proj = nn.Linear(", "self.o_proj = Conv1D("))
    assert new_model(without_toy, "--transformers", str(without_toy.release)) == 0


def test_a_reason_silences_it(without_toy: Reviewed) -> None:
    reason = "  # retire-model: ignore[needless-module] twice as fast"
    without_toy.repository.change(REGISTRY, ENTRY, f"{ENTRY.rstrip()}{reason}\n")
    assert new_model(without_toy, "--transformers", str(without_toy.release)) == 0


def test_nothing_is_fetched(
    without_toy: Reviewed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fetch(*_: object) -> None:
        raise AssertionError("a commit hook has no network")

    monkeypatch.setattr(release_fetching, "fetch_release", fetch)
    monkeypatch.setattr(release_fetching, "ask_versions", fetch)
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "empty"))
    for options in ([], ["--transformers", "4.99.1"], ["--transformers", "newest"]):
        assert new_model(without_toy, *options) == 0
        assert "what the backend can serve was not looked at" in capsys.readouterr().err


def test_what_is_there_already_is_not_looked_at(small: Reviewed, capsys: pytest.CaptureFixture[str]) -> None:
    small.repository.change(REGISTRY, ENTRY, f'{ENTRY}    "AliasForCausalLM": ("toy", "ToyForCausalLM"),\n')
    assert new_model(small) == 0
    assert capsys.readouterr() == ("", "")


def test_base_is_what_pre_commit_says(without_toy: Reviewed, monkeypatch: pytest.MonkeyPatch) -> None:
    without_toy.repository.commit("The toy")
    options = ("--transformers", str(without_toy.release))
    assert new_model(without_toy, *options) == 0
    assert new_model(without_toy, *options, "--base", "HEAD~1") == 1
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    assert new_model(without_toy, *options) == 1


def test_unknown_base(small: Reviewed, capsys: pytest.CaptureFixture[str]) -> None:
    assert new_model(small, "--base", "nowhere") == 2
    assert "no commit 'nowhere'" in capsys.readouterr().err
