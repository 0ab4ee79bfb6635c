"""The small engine tree, made so that all its parts agree, and the faults of one that was changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.suppressions import Suppressions
from analyzer.source.source_tree import SourceTree
from analyzer.uses.tree_facts import TreeFacts
from rules.lint.catalogue import find_faults
from rules.snippets import changed
from tests.toy import write_engine

if TYPE_CHECKING:
    from pathlib import Path

    from rules.lint.check import Fault

MODELS = "vllm/model_executor/models"
REGISTRY = f"{MODELS}/registry.py"
TESTED = "tests/models/registry.py"
DOCS = "docs/models/supported_models.md"


class SoundTree:
    """A tree that `lint` finds nothing in."""

    def __init__(self, folder: Path) -> None:
        self.root = write_engine(folder)
        for name in ("OtherModel", "SeenForConditionalGeneration", "TransformersForCausalLM"):
            self.change(TESTED, "{\n", f'{{\n    "{name}": _HfExamplesInfo("org/other"),\n')
        self.change(
            DOCS, "| `ZebraForCausalLM`", "| `SeenForConditionalGeneration` | Seen | | | |\n| `ZebraForCausalLM`"
        )

    def change(self, file: str, old: str, new: str) -> None:
        path = self.root / file
        path.write_text(changed(path.read_text(), old, new))

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def line(self, file: str, text: str) -> int:
        lines = (self.root / file).read_text().splitlines()
        (found,) = (number for number, line in enumerate(lines, 1) if text in line)
        return found

    def faults(self) -> tuple[Fault, ...]:
        tree = SourceTree(self.root)
        return find_faults(TreeFacts(tree), Suppressions(tree))

    def told(self) -> list[str]:
        return [f"{fault.check} {fault.location}" for fault in self.faults()]
