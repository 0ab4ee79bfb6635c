"""The endings of architectures and what the engine converts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.conversions import MODEL_CONFIG_FILE, converted_from, read_default_tasks
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

ENDINGS = ("ForCausalLM", "ForSequenceClassification", "Model")


def write(root: Path, text: str) -> SourceTree:
    (root / MODEL_CONFIG_FILE).parent.mkdir(parents=True)
    (root / MODEL_CONFIG_FILE).write_text(text)
    return SourceTree(root)


def test_table(tmp_path: Path) -> None:
    rows = (
        '_SUFFIX_TO_DEFAULTS: list = [\n("ForCausalLM", ("generate", "none")),\n("Model", ("pooling", "embed")),\n]\n'
    )
    assert read_default_tasks(write(tmp_path, rows)) == (("ForCausalLM", "none"), ("Model", "embed"))


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "_SUFFIX_TO_DEFAULTS: list = [\nf(),\n]\n",
        "_SUFFIX_TO_DEFAULTS: list = [\n1,\n]\n",
        "_SUFFIX_TO_DEFAULTS = [\n]\n",
    ],
)
def test_tables_that_are_none(text: str, tmp_path: Path) -> None:
    assert read_default_tasks(write(tmp_path, text)) == ()


def test_tree_without_the_file(tmp_path: Path) -> None:
    assert read_default_tasks(SourceTree(tmp_path)) == ()


@pytest.mark.parametrize(
    ("architecture", "base"),
    [
        ("ToyForSequenceClassification", "ToyForCausalLM"),
        ("ToyModel", "ToyForCausalLM"),
        ("OddForSequenceClassification", None),
        ("Toy", None),
    ],
)
def test_conversion(architecture: str, base: str | None) -> None:
    assert converted_from(architecture, ENDINGS, {"ToyForCausalLM"}) == base
