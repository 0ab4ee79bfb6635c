"""Paths of models in pipelines, labelling rules and the list of code owners, each by its own rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.source.source_tree import SourceTree
from analyzer.uses.ci_paths import read_ci_paths

if TYPE_CHECKING:
    from pathlib import Path

MODELS = "vllm/model_executor/models"
FILES = frozenset({f"{MODELS}/toy.py", f"{MODELS}/toy_next.py", f"{MODELS}/sub/inner.py", "vllm/models/seer/model.py"})


def dead(root: Path, file: str, text: str) -> list[tuple[int, str]]:
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(text)
    return [(p.location.line, p.text) for p in read_ci_paths(SourceTree(root)) if not p.leads_to(FILES)]


def test_pipeline(tmp_path: Path) -> None:
    text = f"""steps:
- source_file_dependencies:
  - {MODELS}/toy.py
  - {MODELS}/toy
  - {MODELS}/sub/
  - {MODELS}/gone.py
  - vllm/models/seer
  - vllm/models/blind/
  # - {MODELS}/commented.py
  - other/{MODELS}/elsewhere.py
  commands: pytest --path={MODELS}/to.py
"""
    assert dead(tmp_path, ".buildkite/area/test.yaml", text) == [
        (6, f"{MODELS}/gone.py"),
        (8, "vllm/models/blind"),
        (11, f"{MODELS}/to.py"),
    ]


def test_labels(tmp_path: Path) -> None:
    text = f"""rules:
- conditions:
  - files~=^{MODELS}/.*toy.*\\.py
  - files~=^{MODELS}/(?:toy|gone)[^/]*\\.py
  - files~=^{MODELS}/.*gone.*\\.py
  - files={MODELS}/toy.py
  - files={MODELS}/to.py
  - added-files~=^{MODELS}/.*\\.py$
  - files~=^vllm/other/.*gone
  - title~=(?i)gone
"""
    assert dead(tmp_path, ".github/mergify.yml", text) == [
        (5, f"^{MODELS}/.*gone.*\\.py"),
        (7, f"{MODELS}/to.py"),
    ]


@pytest.mark.parametrize("expression", ["(a+)+$", "(a|aa)*b", "a.*b.*c.*d.*e.*f", "(", "(?i)x", r"(a)\1"])
def test_expressions_that_are_not_run(expression: str, tmp_path: Path) -> None:
    assert dead(tmp_path, ".github/mergify.yml", f"- files~=^{MODELS}/{expression}\n") == []


def test_owners(tmp_path: Path) -> None:
    text = f"""# owners
/{MODELS}/toy* @a
/{MODELS}/*seen* @a @b
{MODELS}/sub @a
/{MODELS}/sub/ @a
/{MODELS}/su @a
/{MODELS}/**/inner.py @a
/{MODELS}/*/*/*/*/*x @a
/vllm/models/** @a
/vllm/other @a

"""
    assert dead(tmp_path, ".github/CODEOWNERS", text) == [(3, f"/{MODELS}/*seen*"), (6, f"/{MODELS}/su")]


def test_tree_without_ci(tmp_path: Path) -> None:
    assert read_ci_paths(SourceTree(tmp_path)) == ()
