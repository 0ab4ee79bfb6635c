"""The many names of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.model_names import BespokeModel, NamedModel, ServedOtherwise, find_model
from analyzer.errors import WrongUse
from tests.toy import open_toy

if TYPE_CHECKING:
    from pathlib import Path

TOY = BespokeModel("toy", ("ToyForCausalLM",), whole=True)


def find(folder: Path, name: str) -> NamedModel:
    engine, source = open_toy(folder)
    return find_model(engine, (source,), name)


@pytest.mark.parametrize(
    "name",
    ["toy", "vllm/model_executor/models/toy.py", "/somewhere/vllm/model_executor/models/toy.py", "toy.py"],
)
def test_by_module(tmp_path: Path, name: str) -> None:
    assert find(tmp_path, name) == TOY


@pytest.mark.parametrize("name", ["ToyForCausalLM", "org/toy-2b", "TOY"])
def test_by_architecture_or_checkpoint(tmp_path: Path, name: str) -> None:
    assert find(tmp_path, name) == BespokeModel("toy", ("ToyForCausalLM",), whole=False)


def test_by_model_type(tmp_path: Path) -> None:
    engine, source = open_toy(tmp_path)
    auto = source.files.locate("transformers/models/auto/modeling_auto.py")
    auto.write_text('MODEL_FOR_CAUSAL_LM_MAPPING_NAMES = OrderedDict([("plaything", "ToyForCausalLM")])\n')
    found = find_model(engine, (source,), "plaything")
    assert found == BespokeModel("toy", ("ToyForCausalLM",), whole=False)


def test_a_module_with_several_architectures(tmp_path: Path) -> None:
    assert find(tmp_path, "twin") == BespokeModel("twin", ("TwinForCausalLM", "TwinTooForCausalLM"), whole=True)


@pytest.mark.parametrize(
    ("name", "dictionary"),
    [
        ("zebra", "_TRANSFORMERS_SUPPORTED_MODELS"),
        ("org/zebra", "_TRANSFORMERS_SUPPORTED_MODELS"),
        ("GoneForCausalLM", "_PREVIOUSLY_SUPPORTED_MODELS"),
        ("away", "_OOT_SUPPORTED_MODELS"),
    ],
)
def test_served_otherwise(tmp_path: Path, name: str, dictionary: str) -> None:
    found = find(tmp_path, name)
    assert isinstance(found, ServedOtherwise)
    assert found.entry is not None
    assert found.entry.dictionary == dictionary


def test_known_to_transformers_alone(tmp_path: Path) -> None:
    engine, source = open_toy(tmp_path)
    registry = engine.files.locate("vllm/model_executor/models/registry.py")
    registry.write_text(registry.read_text().replace('    "ToyForCausalLM": ("toy", "ToyForCausalLM"),\n', ""))
    found = find_model(open_engine_tree(engine.root), (source,), "ToyForCausalLM")
    assert found == ServedOtherwise("ToyForCausalLM", None)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("toyy", "Did you mean toy"), ("zzzzzzzzzz", "Name a module"), ("org/unknown", "Name a module"), ("", "Name")],
)
def test_unknown_names_get_the_nearest(tmp_path: Path, name: str, hint: str) -> None:
    with pytest.raises(WrongUse, match="unknown model") as error:
        find(tmp_path, name)
    assert error.value.remedy.startswith(hint)


def test_what_neither_tests_nor_docs_name_is_an_unknown_checkpoint(tmp_path: Path) -> None:
    engine, source = open_toy(tmp_path)
    engine.files.locate("tests/models/registry.py").unlink()
    assert find_model(engine, (source,), "org/toy-2b") == BespokeModel("toy", ("ToyForCausalLM",), whole=False)
    engine.files.locate("docs/models/supported_models.md").write_text("# Models\n")
    engine = open_engine_tree(engine.root)
    with pytest.raises(WrongUse):
        find_model(engine, (source,), "org/toy-2b")


def test_the_name_of_the_backend_itself_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(WrongUse):
        find(tmp_path, "TransformersForCausalLM")


LINE = '    "ToyForCausalLM": ("toy", "ToyForCausalLM"),\n'
SPREAD = '    **{"ToyForCausalLM": ("toy", "ToyForCausalLM")},\n'
LATER = '_TEXT_GENERATION_MODELS["ToyForCausalLM"] = ("toy", "ToyForCausalLM")\n'
UPDATED = '_VLLM_MODELS.update({"ToyForCausalLM": ("toy", "ToyForCausalLM")})\n'


@pytest.mark.parametrize(("instead", "at_the_end"), [(SPREAD, ""), ("", LATER), ("", UPDATED)])
@pytest.mark.parametrize("name", ["toy", "ToyForCausalLM", "org/toy-2b", "vllm/model_executor/models/toy.py"])
def test_an_entry_out_of_reach(tmp_path: Path, name: str, instead: str, at_the_end: str) -> None:
    engine, source = open_toy(tmp_path)
    registry = engine.files.locate("vllm/model_executor/models/registry.py")
    text = registry.read_text().replace(LINE, instead) + at_the_end
    registry.write_text(text)
    line = next(n for n, words in enumerate(text.splitlines(), 1) if '"ToyForCausalLM"' in words)
    with pytest.raises(WrongUse, match=rf"adds ToyForCausalLM at .*registry\.py:{line} in a way"):
        find_model(open_engine_tree(engine.root), (source,), name)


def test_a_name_is_not_suggested_for_itself(tmp_path: Path) -> None:
    engine, source = open_toy(tmp_path)
    auto = source.files.locate("transformers/models/auto/modeling_auto.py")
    auto.write_text('MODEL_FOR_CAUSAL_LM_MAPPING_NAMES = OrderedDict([("novel", "NovelForCausalLM")])\n')
    with pytest.raises(WrongUse) as error:
        find_model(engine, (source,), "novel")
    assert "novel" not in error.value.remedy
