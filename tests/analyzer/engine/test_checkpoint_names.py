"""Checkpoints, as the test registry and the pages of models name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.checkpoint_names import architectures_of_checkpoint, known_checkpoints
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

REGISTRY = '_TEXT = {"ToyForCausalLM": _HfExamplesInfo("org/toy-2b", extras={"big": "org/toy-9b"})}\n'
PAGE = """# Models

| Architecture | Models | Example HF Models |
| - | - | - |
| `ToyForCausalLM` | Toy | `org/toy-2b`, `org/toy-old`, etc. |
| `PairA`, `PairB` | Pair | `org/pair` |

Prose has `org/prose`, and code has no rows:

```
| `Code` | x | `org/code` |
```
"""


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    for file, text in (("tests/models/registry.py", REGISTRY), ("docs/models/supported_models.md", PAGE)):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(text)
    return SourceTree(tmp_path)


@pytest.mark.parametrize(
    ("checkpoint", "architectures"),
    [
        ("org/toy-2b", ["ToyForCausalLM", "ToyForCausalLM"]),
        ("org/toy-9b", ["ToyForCausalLM"]),
        ("org/toy-old", ["ToyForCausalLM"]),
        ("org/pair", ["PairA", "PairB"]),
        ("org/prose", []),
        ("org/code", []),
        ("org/none", []),
    ],
)
def test_architectures(tree: SourceTree, checkpoint: str, architectures: list[str]) -> None:
    assert list(architectures_of_checkpoint(tree, checkpoint)) == architectures


def test_all_that_are_named(tree: SourceTree) -> None:
    named = {"org/toy-2b", "org/toy-9b", "org/toy-old", "org/pair", "org/prose", "org/code"}
    assert known_checkpoints(tree) == named


def test_a_tree_with_neither(tmp_path: Path) -> None:
    tree = SourceTree(tmp_path)
    assert list(architectures_of_checkpoint(tree, "org/toy-2b")) == []
    assert known_checkpoints(tree) == frozenset()
