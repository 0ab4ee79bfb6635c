"""Engine trees recognised and identified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine_tree import open_engine_tree
from analyzer.errors import EnvironmentProblem, UnreadableSource
from tests.toy import write_engine

if TYPE_CHECKING:
    from pathlib import Path


def test_opens_a_release(tmp_path: Path) -> None:
    engine = open_engine_tree(write_engine(tmp_path))
    assert str(engine.version) == "9.1.0"
    assert engine.registry.entries("ToyForCausalLM")[0].module == "toy"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("__version__ = version = '9.2.1'\n", "9.2.1"),
        ('__version__ = "9.3"\n', "9.3"),
        ("__version__ = 'dev+!'\n", "None"),
    ],
)
def test_reads_the_version_of_a_built_checkout(tmp_path: Path, text: str, version: str) -> None:
    root = write_engine(tmp_path)
    (root / "PKG-INFO").unlink()
    (root / "vllm/_version.py").write_text(text)
    assert str(open_engine_tree(root).version) == version


def test_a_checkout_may_not_know_its_version(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    (root / "PKG-INFO").write_bytes(b"\xff\xfe")
    assert open_engine_tree(root).version is None


def test_refuses_another_folder(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="is not an engine tree"):
        open_engine_tree(tmp_path)


def test_names_the_line_of_a_broken_registry(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    (root / "vllm/model_executor/models/registry.py").write_text("_VLLM_MODELS = {\n  **_A,\n  oops oops\n}\n")
    with pytest.raises(UnreadableSource, match=r"registry\.py:3 is not valid Python"):
        open_engine_tree(root)
