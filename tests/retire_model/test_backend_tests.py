"""A plan with tests: from the trees to the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.model_names import find_models
from codemods.catalogue import draft_retirement
from codemods.edits import Creation
from codemods.plan import Remove
from codemods.planner import plan_migration, plan_removal
from retire_model.backend_tests import with_backend_tests
from retire_model.sources.trees import open_trees
from rules.assessment import Assessor
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path

    from retire_model.sources.trees import Trees
    from rules.assessment import Assessment


def opened(folder: Path) -> tuple[Trees, list[Assessment]]:
    engine = write_engine(folder)
    (engine / "tests/models/transformers").mkdir()
    (engine / "tests/models/transformers/test_backend.py").write_text("")
    trees = open_trees(str(engine), [str(write_release(folder))])
    assessor = Assessor(trees.engine, trees.sources)
    return trees, [assessor.assess(model) for model in find_models(trees.engine, trees.sources, ["toy"])]


def test_migration(tmp_path: Path) -> None:
    trees, assessments = opened(tmp_path)
    plan = with_backend_tests(plan_migration(trees.engine, assessments), trees, assessments)
    (edit,) = (e for e in draft_retirement(plan, trees.engine).edits if isinstance(e, Creation))
    assert edit.file == "tests/models/transformers/test_toy.py"
    assert b"Test ToyForCausalLM on the Transformers modeling backend." in edit.after


def test_removal_gets_none(tmp_path: Path) -> None:
    trees, assessments = opened(tmp_path)
    plan = plan_removal(trees.engine, assessments, Remove("9.0.0"))
    assert with_backend_tests(plan, trees, assessments) == plan
