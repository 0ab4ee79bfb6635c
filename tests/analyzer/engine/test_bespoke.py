"""Hand-written modeling files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.bespoke import module_entry_file, read_bespoke_module
from analyzer.engine.engine_tree import EngineTree, open_engine_tree
from analyzer.errors import Refused, UnreadableSource
from analyzer.source.classes import ClassResolver
from tests.toy import write_engine

if TYPE_CHECKING:
    from pathlib import Path

MODELS = "vllm/model_executor/models"


@pytest.fixture
def engine(tmp_path: Path) -> EngineTree:
    return open_engine_tree(write_engine(tmp_path))


def test_reads_interfaces_layers_and_compilation(engine: EngineTree) -> None:
    module = read_bespoke_module(engine, ClassResolver(engine.files), "toy")
    assert (module.files, module.architectures) == ((f"{MODELS}/toy.py",), ("ToyForCausalLM",))
    assert module.lines == len((engine.root / MODELS / "toy.py").read_text().splitlines())
    toy = module.serving("ToyForCausalLM")
    assert toy is not None
    assert toy.interfaces >= {"SupportsPP", "nn.Module"}
    assert str(toy.parallel_linear) == f"{MODELS}/toy.py:12"
    assert str(toy.compiled) == f"{MODELS}/toy.py:15"
    assert module.serving("OtherForCausalLM") is None


def test_inherits_from_another_module(engine: EngineTree) -> None:
    module = read_bespoke_module(engine, ClassResolver(engine.files), "twin")
    assert module.architectures == ("TwinForCausalLM", "TwinTooForCausalLM")
    twin = module.serving("TwinTooForCausalLM")
    assert twin is not None
    assert twin.interfaces == {"OtherForCausalLM", "nn.Module"}
    assert (twin.parallel_linear, twin.compiled) == (None, None)


def test_a_package_counts_all_its_files(engine: EngineTree) -> None:
    folder = engine.root / MODELS / "toy"
    (engine.root / MODELS / "toy.py").unlink()
    folder.mkdir()
    (folder / "__init__.py").write_text("from .model import ToyForCausalLM\n")
    (folder / "model.py").write_text("class ToyForCausalLM: ...\n")
    module = read_bespoke_module(engine, ClassResolver(engine.files), "toy")
    assert module.files == (f"{MODELS}/toy/__init__.py", f"{MODELS}/toy/model.py")
    assert module.lines == 2
    assert module.classes[0].location.file.endswith("toy/model.py")


def test_an_absolute_module_name_starts_at_the_root(engine: EngineTree) -> None:
    (engine.root / "vllm/models").mkdir()
    (engine.root / "vllm/models/new.py").write_text("")
    assert module_entry_file(engine, "vllm.models.new") == "vllm/models/new.py"


@pytest.mark.parametrize("name", ["../../../etc/passwd", "a/b", "", "a..b", "-x"])
def test_refuses_what_is_no_module_name(engine: EngineTree, name: str) -> None:
    with pytest.raises(Refused, match="no Python module name"):
        module_entry_file(engine, name)


def test_a_link_out_of_the_tree_is_not_followed(engine: EngineTree, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("class X: ...\n")
    (engine.root / MODELS / "linked.py").symlink_to(tmp_path / "outside.py")
    with pytest.raises(UnreadableSource, match="leads out"):
        module_entry_file(engine, "linked")


def test_names_a_module_that_is_not_there(engine: EngineTree) -> None:
    with pytest.raises(UnreadableSource, match=r"there is no vllm/model_executor/models/absent\.py"):
        module_entry_file(engine, "absent")


@pytest.mark.parametrize("broken", ["def f(:\n", "x = " + "(" * 5000 + ")" * 5000])
def test_a_file_that_is_not_valid_python(engine: EngineTree, broken: str) -> None:
    path = engine.root / MODELS / "toy.py"
    path.write_text(f"{path.read_text()}\n{broken}")
    with pytest.raises(UnreadableSource, match=r"toy\.py"):
        read_bespoke_module(engine, ClassResolver(engine.files), "toy")


def test_a_class_that_has_another_name_where_it_is_defined(engine: EngineTree) -> None:
    (engine.root / MODELS / "real.py").write_text("class Served(SupportsPP): ...\n")
    (engine.root / MODELS / "toy.py").write_text("from .real import Served as ToyForCausalLM\n")
    toy = read_bespoke_module(engine, ClassResolver(engine.files), "toy").serving("ToyForCausalLM")
    assert toy is not None
    assert (toy.name, *toy.interfaces) == ("ToyForCausalLM", "SupportsPP")
