"""Parallel plans in all the forms that configurations give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.parallel_plans import ParallelPlan, read_plan
from analyzer.source.classes import ClassResolver
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

HEADER = 'SHARED = {"shared": "rowwise"}\nclass Parent:\n    base_model_tp_plan = {"parent": "colwise"}\n'


def plan_of(folder: Path, body: str) -> ParallelPlan | None:
    file = "transformers/models/toy/configuration_toy.py"
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(f"{HEADER}class ToyConfig{body}")
    resolver = ClassResolver(SourceTree(folder))
    source = resolver.find_class(file, "ToyConfig")
    assert source is not None
    return read_plan(resolver, source, "base_model_tp_plan")


@pytest.mark.parametrize(
    ("body", "patterns"),
    [
        (':\n    base_model_tp_plan = {"a": "colwise", "b": "rowwise"}\n', ["a", "b"]),
        (':\n    base_model_tp_plan: dict = {"a": "colwise"}\n', ["a"]),
        ("(Parent): ...\n", ["parent"]),
        (':\n    base_model_tp_plan = {**SHARED, "a": "colwise"}\n', ["shared", "a"]),
        (':\n    base_model_tp_plan = SHARED | {"a": "colwise"}\n', ["shared", "a"]),
        (":\n    base_model_tp_plan = SHARED.copy()\n", ["shared"]),
        (':\n    own = {"own": "colwise"}\n    base_model_tp_plan = own\n', ["own"]),
        (':\n    base_model_tp_plan = {**Parent.base_model_tp_plan, "a": "colwise"}\n', ["parent", "a"]),
    ],
)
def test_read_in_full(tmp_path: Path, body: str, patterns: list[str]) -> None:
    plan = plan_of(tmp_path, body)
    assert plan is not None
    assert not plan.computed
    assert [entry.pattern for entry in plan.entries] == patterns
    assert all(entry.style in ("colwise", "rowwise") for entry in plan.entries)


@pytest.mark.parametrize(
    "body",
    [
        ':\n    base_model_tp_plan = {f"layers.{i}": "colwise" for i in range(2)}\n',
        ":\n    base_model_tp_plan = make_plan()\n",
        ':\n    base_model_tp_plan = {**unknown, "a": "colwise"}\n',
        ':\n    base_model_tp_plan = {NAME: "colwise"}\n',
        ":\n    base_model_tp_plan = Nobody.plan\n",
        ":\n    base_model_tp_plan = unknown\n",
        ':\n    def __init__(self):\n        self.base_model_tp_plan = {"a": "colwise"}\n',
    ],
)
def test_computed_by_code(tmp_path: Path, body: str) -> None:
    plan = plan_of(tmp_path, body)
    assert plan is not None
    assert plan.computed


@pytest.mark.parametrize(
    "body",
    [
        ": ...\n",
        ":\n    base_model_tp_plan = None\n",
        ":\n    base_model_tp_plan: dict\n",
        ":\n    def __init__(self):\n        self.base_model_tp_plan = None\n",
    ],
)
def test_no_plan(tmp_path: Path, body: str) -> None:
    assert plan_of(tmp_path, body) is None


def test_a_name_that_stands_for_itself_ends(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, ":\n    a = b\n    b = a\n    base_model_tp_plan = a\n")
    assert plan is not None
    assert plan.computed


def test_what_the_framework_adds_is_not_the_models_plan(tmp_path: Path) -> None:
    framework = tmp_path / "transformers/configuration_utils.py"
    framework.parent.mkdir(parents=True)
    framework.write_text(
        "class PreTrainedConfig:\n    def __post_init__(self):\n"
        '        self.base_model_tp_plan = {"embed_tokens": "x"}\n'
    )
    header = "from ...configuration_utils import PreTrainedConfig\n"
    file = "transformers/models/toy/configuration_toy.py"
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(f"{header}class ToyConfig(PreTrainedConfig): ...\n")
    resolver = ClassResolver(SourceTree(tmp_path))
    source = resolver.find_class(file, "ToyConfig")
    assert source is not None
    assert read_plan(resolver, source, "base_model_tp_plan") is None
