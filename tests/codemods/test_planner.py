"""What a retirement is to do, and when it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import EngineTree, open_engine_tree
from analyzer.engine.model_names import NamedModel, find_model
from analyzer.errors import Refused
from codemods.plan import Migrate, Remove, RetirementPlan
from codemods.planner import plan_migration, plan_removal
from rules.assessment import Assessment, Assessor
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, PP_PLAN_LINES, changed
from tests.toy import open_toy

if TYPE_CHECKING:
    from pathlib import Path


def plan(folder: Path, *names: str, snippet: Snippet | None = None) -> RetirementPlan:
    engine, source = open_toy(folder, snippet)
    assessor = Assessor(engine, (source,))
    models: list[NamedModel] = [find_model(engine, (source,), name) for name in names]
    return plan_migration(engine, [assessor.assess(model) for model in models])


def test_migration(tmp_path: Path) -> None:
    (module,) = plan(tmp_path, "toy").modules
    assert (module.name, module.files) == ("toy", ("vllm/model_executor/models/toy.py",))
    (architecture,) = module.architectures
    assert architecture.outcome == Migrate("TransformersForCausalLM")
    assert [entry.dictionary for entry in architecture.entries] == ["_TEXT_GENERATION_MODELS"]
    assert architecture.checkpoints == ("org/toy-1b", "org/toy-2b")
    assert (architecture.supports_lora, architecture.supports_pipeline_parallel) == (True, True)


def test_a_lost_capability_shows_in_the_plan(tmp_path: Path) -> None:
    snippet = Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, ""))
    assert not plan(tmp_path, "toy", snippet=snippet).architectures[0].supports_pipeline_parallel


def test_a_tree_without_tests(tmp_path: Path) -> None:
    engine, source = open_toy(tmp_path)
    engine.files.locate("tests/models/registry.py").unlink()
    assessment = Assessor(engine, (source,)).assess(find_model(engine, (source,), "toy"))
    assert plan_migration(engine, [assessment]).architectures[0].checkpoints == ()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "zebra",
            "nothing to retire, it is already served by the Transformers modeling backend .*_TRANSFORMERS_SUPPORTED",
        ),
        ("gone", "8.0.0 was the last release .*_PREVIOUSLY_SUPPORTED_MODELS"),
        ("away", "served by the plugin at https://example.org.*_OOT_SUPPORTED_MODELS"),
        ("twin", "cannot load it with Transformers 5.0.0: Transformers has no class TwinForCausalLM"),
    ],
)
def test_refusals(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        plan(tmp_path, name)


def test_what_the_backend_cannot_load_is_refused_with_its_line(tmp_path: Path) -> None:
    snippet = Snippet(modeling=changed(MODELING, "self.o_proj = nn.Linear(", "self.o_proj = Conv1D("))
    with pytest.raises(Refused, match=r"Conv1D .*\(transformers/models/toy/modeling_toy\.py:\d+\)"):
        plan(tmp_path, "toy", snippet=snippet)


def test_known_to_transformers_alone(tmp_path: Path) -> None:
    engine, source = open_toy(tmp_path)
    registry = engine.files.locate("vllm/model_executor/models/registry.py")
    registry.write_text(registry.read_text().replace('    "ToyForCausalLM": ("toy", "ToyForCausalLM"),\n', ""))
    from analyzer.engine.engine_tree import open_engine_tree

    engine = open_engine_tree(engine.root)
    assessment = Assessor(engine, (source,)).assess(find_model(engine, (source,), "ToyForCausalLM"))
    assert assessment.name == "ToyForCausalLM"
    with pytest.raises(Refused, match="this engine has no modeling file for it"):
        plan_migration(engine, [assessment])


def beside_others(folder: Path, class_name: str) -> tuple[EngineTree, Assessment]:
    """A tree in which the toy's module serves another architecture, by the class of that name."""
    engine, source = open_toy(folder)
    registry = engine.files.locate("vllm/model_executor/models/registry.py")
    registry.write_text(registry.read_text().replace('("twin", "TwinForCausalLM")', f'("toy", "{class_name}")'))
    engine = open_engine_tree(engine.root)
    return engine, Assessor(engine, (source,)).assess(find_model(engine, (source,), "ToyForCausalLM"))


def test_a_class_is_not_left_behind(tmp_path: Path) -> None:
    engine, assessment = beside_others(tmp_path, "TwinForCausalLM")
    with pytest.raises(Refused, match="toy also serves TwinForCausalLM, TwinTooForCausalLM"):
        plan_migration(engine, [assessment])
    plan = plan_removal(engine, [assessment], Remove("9.0.0"))
    assert plan.modules[0].files == ()


def test_an_architecture_that_shares_its_class_moves_alone(tmp_path: Path) -> None:
    engine, assessment = beside_others(tmp_path, "ToyForCausalLM")
    plan = plan_migration(engine, [assessment])
    assert plan.modules[0].files == ()
    assert [architecture.name for architecture in plan.architectures] == ["ToyForCausalLM"]
    assert plan.architectures[0].outcome == Migrate("TransformersForCausalLM")


@pytest.mark.parametrize(
    ("class_name", "start"),
    [("ToyForCausalLM", "`retire-model ToyForCausalLM` moves what can go"), ("Twin", "`retire-model TwinForCausalLM")],
)
def test_says_which_architectures_are_in_the_way(tmp_path: Path, class_name: str, start: str) -> None:
    engine, source = open_toy(tmp_path)
    registry = engine.files.locate("vllm/model_executor/models/registry.py")
    registry.write_text(registry.read_text().replace('("twin", "TwinForCausalLM")', f'("toy", "{class_name}")'))
    bespoke = engine.files.locate("vllm/model_executor/models/toy.py")
    bespoke.write_text(f"{bespoke.read_text()}\n\nclass Twin(nn.Module): ...\n")
    engine = open_engine_tree(engine.root)
    with pytest.raises(Refused, match="Transformers has no class Twin") as caught:
        plan_migration(engine, [Assessor(engine, (source,)).assess(find_model(engine, (source,), "toy"))])
    assert caught.value.remedy.startswith(start)
    give_up = "`retire-model TwinForCausalLM TwinTooForCausalLM --remove` gives up what is in the way"
    assert give_up in caught.value.remedy
