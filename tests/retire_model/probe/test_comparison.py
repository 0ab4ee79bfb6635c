"""Two readings of one model that differ are told, subject by subject."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.hugging_face_model import HuggingFaceModel, read_hugging_face_model
from retire_model.probe.comparison import SUBJECTS, Disagreement, compare, compare_stages
from retire_model.probe.reading import ProbeReading, parse
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, TP_PLAN_LINES, changed
from tests.retire_model.probe_answers import toy_answer
from tests.toy import write_release

if TYPE_CHECKING:
    from pathlib import Path

FAILS = {"difference": None, "scale": None, "error": "RuntimeError: sizes"}
PLAN = toy_answer()["tensor_parallel_plan"]
DICTIONARY = changed(
    MODELING, "ToyAttention(config, layer_idx)\n", "TOY_CLASSES[config._attn_implementation](config, layer_idx)\n"
)


def read(folder: Path, modeling: str = "", configuration: str = "") -> HuggingFaceModel:
    source = HuggingFaceSource(write_release(folder, Snippet(modeling=modeling, configuration=configuration)), "5.0.0")
    found = read_hugging_face_model(source, "ToyForCausalLM")
    assert found is not None
    return found


def reading(**changes: Any) -> ProbeReading:
    found = parse(toy_answer(**changes))
    assert isinstance(found, ProbeReading)
    return found


def differences(folder: Path, modeling: str = "", configuration: str = "", **changes: Any) -> list[Disagreement]:
    return list(compare(read(folder, modeling, configuration), reading(**changes)))


def test_agreement(tmp_path: Path) -> None:
    assert differences(tmp_path) == []


@pytest.mark.parametrize(
    ("about", "changes"),
    [
        ("tensor-parallel-plan", {"tensor_parallel_plan": {**PLAN, "layers.*.mlp.up": "colwise"}}),
        ("tensor-parallel-plan", {"tensor_parallel_plan": dict.fromkeys(PLAN, "colwise")}),
        ("tensor-parallel-plan", {"tensor_parallel_plan": {}, "sharded": None}),
        ("pipeline-parallel-plan", {"pipeline_parallel_plan": ["layers", "embed_tokens", "norm"]}),
        ("pipeline-parallel-plan", {"pipeline_parallel_plan": []}),
        ("conv1d", {"transposed_linears": [["ToyAttention", "o_proj"]]}),
        ("attention-interface", {"attention": []}),
        ("attention-interface", {"attention_error": "KeyError: 'probe'", "attention": [], "ran": []}),
        (
            "attention-interface",
            {"attention": [*toy_answer()["attention"], {"name": "x", "class": "Other", "layer": None, "calls": 1}]},
        ),
        ("classes", {"base_class": "OtherModel"}),
        ("classes", {"configuration_class": "OtherConfig"}),
        ("classes", {"mixture_of_experts": True}),
        ("output-head", {"head": {"projection": "score", "bias": False, "tied": False}}),
        ("output-head", {"head": {"projection": "lm_head", "bias": True, "tied": False}}),
        ("sharding", {"sharded": FAILS}),
    ],
)
def test_disagreements(tmp_path: Path, about: str, changes: dict[str, Any]) -> None:
    found = differences(tmp_path, **changes)
    assert [disagreement.about for disagreement in found] == [about]
    assert about in SUBJECTS
    assert found[0].static != found[0].dynamic


def test_only_what_differs_is_told(tmp_path: Path) -> None:
    found = differences(tmp_path, tensor_parallel_plan={**PLAN, "lm_head": "colwise"})
    assert found == [Disagreement("tensor-parallel-plan", "nothing more", "lm_head: colwise")]


def test_what_the_framework_adds_is_not_ours(tmp_path: Path) -> None:
    added = {**PLAN, "embed_tokens": "embedding_rowwise"}
    assert differences(tmp_path / "a", tensor_parallel_plan=added) == []
    own = changed(
        CONFIGURATION, "    base_model_tp_plan = {\n", '    base_model_tp_plan = {\n        "embed_tokens": "x",\n'
    )
    assert len(differences(tmp_path / "b", configuration=own, tensor_parallel_plan=added)) == 1


def test_a_branch_that_is_not_built_is_no_disagreement(tmp_path: Path) -> None:
    both = changed(
        MODELING,
        "        self.o_proj = nn.Linear(config.hidden_size, config.hidden_size)\n",
        "        self.o_proj = Conv1D(1, 1) if config.x else Conv1D(2, 2)\n        self.q = Conv1D(3, 3)\n",
    )
    found = differences(tmp_path, modeling=both, transposed_linears=[["ToyAttention", "o_proj"]], sharded=None)
    assert [disagreement.about for disagreement in found] == []


def test_a_class_that_did_not_run_says_nothing(tmp_path: Path) -> None:
    assert differences(tmp_path, attention=[], ran=["ToyModel"]) == []


def test_a_dictionary_of_implementations(tmp_path: Path) -> None:
    modeling = DICTIONARY + '\nTOY_CLASSES = {"eager": ToyAttention}\n'
    refused: dict[str, Any] = {
        "attention_error": "KeyError: 'probe'",
        "attention": [],
        "ran": [],
        "sharded": None,
        "staged": None,
    }
    assert differences(tmp_path / "a", modeling=modeling, **refused) == []
    assert [d.about for d in differences(tmp_path / "b", modeling=modeling)] == ["attention-interface"]


def test_what_the_plan_alone_cannot_shard(tmp_path: Path) -> None:
    gap = changed(CONFIGURATION, '        "layers.*.self_attn.o_proj": "rowwise",\n', "")
    plan = {name: style for name, style in PLAN.items() if style == "colwise"}
    assert differences(tmp_path / "a", configuration=gap, tensor_parallel_plan=plan, sharded=FAILS) == []
    assert [d.about for d in differences(tmp_path / "b", configuration=gap, tensor_parallel_plan=plan)] == ["sharding"]


def test_nothing_is_compared_of_a_language_model_that_the_checkpoint_names(tmp_path: Path) -> None:
    configuration = changed(CONFIGURATION, TP_PLAN_LINES, '    sub_configs = {"text_config": AutoConfig}\n')
    assert differences(tmp_path, configuration=configuration) == []
    assert [d.about for d in differences(tmp_path / "b", configuration=configuration, base_class="X")] == ["classes"]


def test_a_head_that_nobody_names(tmp_path: Path) -> None:
    assert differences(tmp_path / "a", head=None) == []
    model = read(tmp_path / "b")
    unknown = replace(model, output_head=replace(model.output_head, projection=None))
    assert compare(unknown, reading(head={"projection": "x", "bias": True, "tied": True})) == ()


@pytest.mark.parametrize(("backend", "agrees"), [(True, False), (False, True), (None, True)])
def test_stages(backend: bool | None, agrees: bool) -> None:
    assert compare_stages(backend, reading()) == ()
    assert compare_stages(backend, reading(staged=None)) == ()
    assert (compare_stages(backend, reading(staged=FAILS)) == ()) is agrees
