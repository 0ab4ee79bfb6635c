"""Gemma and StableLM on the real 0.33.0, which the engine's next release retires: the plan, and what else is told."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.model_names import find_models
from codemods.catalogue import draft_retirement
from codemods.dependents import refuse_needed_modules
from codemods.edits import Creation, Deletion, Rewrite
from codemods.planner import plan_migration
from retire_model.backend_tests import with_backend_tests
from retire_model.sources.trees import open_trees
from rules.assessment import Assessor
from rules.findings import Capability
from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from codemods.edits import ChangeSet
    from rules.assessment import Assessment

TEST_GEMMA = "tests/models/language/generation/test_gemma.py"


@pytest.fixture(scope="module")
def retired(engine_0_33: Path, transformers_release: Callable[[str], Path]) -> tuple[dict[str, Assessment], ChangeSet]:
    trees = open_trees(str(engine_0_33), [str(transformers_release("5.19.0"))])
    assessor = Assessor(trees.engine, trees.sources)
    models = find_models(trees.engine, trees.sources, ["gemma", "stablelm"])
    assessments = [assessor.assess(model) for model in models]
    plan = with_backend_tests(plan_migration(trees.engine, assessments), trees, assessments)
    changes = draft_retirement(plan, trees.engine)
    refuse_needed_modules(plan, changes, trees.engine.files)
    return {a.name: a for a in assessments}, changes


def functions(data: bytes) -> list[str]:
    return [node.name for node in ast.parse(data).body if isinstance(node, ast.FunctionDef)]


@pytest.mark.release
def test_verdicts(retired: tuple[dict[str, Assessment], ChangeSet]) -> None:
    assessments, _ = retired
    assert assessments["gemma"].judgement.verdict is Verdict.RETIRE
    assert assessments["stablelm"].judgement.losses == (Capability.TENSOR_PARALLEL,)


@pytest.mark.release
def test_edits(retired: tuple[dict[str, Assessment], ChangeSet]) -> None:
    _, changes = retired
    models = "vllm/model_executor/models"
    kinds = {kind: {e.file for e in changes.edits if isinstance(e, kind)} for kind in (Creation, Deletion, Rewrite)}
    assert kinds[Deletion] == {f"{models}/gemma.py", f"{models}/stablelm.py"}
    assert kinds[Rewrite] == {"docs/models/supported_models.md", TEST_GEMMA, f"{models}/registry.py"}
    assert kinds[Creation] == {f"tests/models/transformers/test_{name}.py" for name in ("gemma", "stablelm")}


@pytest.mark.release
def test_one_test_patches_the_module(retired: tuple[dict[str, Assessment], ChangeSet]) -> None:
    _, changes = retired
    (edit,) = (e for e in changes.edits if isinstance(e, Rewrite) and e.file == TEST_GEMMA)
    gone = [name for name in functions(edit.before) if name not in functions(edit.after)]
    assert gone == ["test_checkpoint_lm_head_can_override_tied_config"]
    lines = edit.before.splitlines()
    assert [line for line in edit.after.splitlines() if line not in lines] == []
    assert b"models import gemma\n" not in edit.after


@pytest.mark.release
def test_tests_claim_what_the_verdict_does(retired: tuple[dict[str, Assessment], ChangeSet]) -> None:
    _, changes = retired
    added = {e.file.rpartition("test_")[2]: functions(e.after) for e in changes.edits if isinstance(e, Creation)}
    tests = {file: [name for name in names if name.startswith("test_")] for file, names in added.items()}
    assert tests == {
        "gemma.py": ["test_logprobs", "test_tensor_parallel", "test_pipeline_parallel"],
        "stablelm.py": ["test_logprobs", "test_pipeline_parallel"],
    }
