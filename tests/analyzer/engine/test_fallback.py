"""Whether an architecture is served although the registry does not name it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.fallback import served_by_fallback
from analyzer.engine.registry import REGISTRY_FILE
from analyzer.release.hugging_face import HuggingFaceSource
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path

DECLARED = "model.is_backend_compatible()"
EITHER = f"{DECLARED} or model._can_set_attn_implementation()"
UTILITIES = """\
class PreTrainedModel:
    @classmethod
    def _can_set_attn_implementation(cls):
        return "ALL_ATTENTION_FUNCTIONS.wanted(" in code
"""
SILENT = changed(MODELING, "_supports_attention_backend = True", "_supports_attention_backend = False")


def served(folder: Path, gate: str, modeling: str, architecture: str = "ToyForCausalLM") -> bool:
    root = write_engine(folder)
    if gate:
        registry = root / REGISTRY_FILE
        registry.write_text(f"{registry.read_text()}\n\ndef _try_resolve_transformers(model):\n    return {gate}\n")
    release = write_release(folder, Snippet(modeling=modeling))
    (release / "transformers/modeling_utils.py").write_text(UTILITIES)
    return served_by_fallback(open_engine_tree(root), HuggingFaceSource(release, "5.0.0"), architecture)


@pytest.mark.parametrize(
    ("gate", "modeling", "expected"),
    [
        (DECLARED, MODELING, True),
        (DECLARED, SILENT, False),
        (EITHER, MODELING, True),
        (EITHER, f"{SILENT}\n# ALL_ATTENTION_FUNCTIONS.wanted(\n", True),
        (EITHER, f"{SILENT}\n\nclass OwnAttention(nn.Module):\n    pass\n", False),
        (EITHER, f"{SILENT}\n\nclass OwnAttention(nn.Module):\n    x = ALL_ATTENTION_FUNCTIONS.wanted(1)\n", True),
        ("True", MODELING, False),
        ("", MODELING, False),
    ],
)
def test_the_gate(tmp_path: Path, gate: str, modeling: str, expected: bool) -> None:
    assert served(tmp_path, gate, modeling) is expected


def test_transformers_has_no_such_model(tmp_path: Path) -> None:
    assert not served(tmp_path, EITHER, MODELING, "NoSuchForCausalLM")
