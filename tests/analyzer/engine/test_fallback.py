"""Whether an architecture is served although the registry does not name it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.fallback import served_by_fallback
from analyzer.engine.registry import PREVIOUSLY_SUPPORTED, REGISTRY_FILE
from analyzer.release.hugging_face import HuggingFaceSource
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Release

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


@pytest.mark.release
def test_of_fifty_removed_architectures_one_that_transformers_has_fails_the_gate(
    engine_0_33: Path, transformers_release: Release
) -> None:
    """Fourteen are in Transformers 5.19.0; the gate itself, asked in a real engine, says yes to all but this one.

    It declares no attention backend, and its module has an attention class without the interface.
    """
    engine, source = open_engine_tree(engine_0_33), HuggingFaceSource(transformers_release("5.19.0"), "5.19.0")
    dictionaries = engine.registry.dictionaries
    removed = [e.architecture for d in dictionaries if d.name == PREVIOUSLY_SUPPORTED for e in d.entries]
    known = {architecture for architecture in removed if source.find(architecture) is not None}
    served = {architecture for architecture in removed if served_by_fallback(engine, source, architecture)}
    assert (len(removed), len(known)) == (50, 14)
    assert known - served == {"MptForCausalLM"}
    assert served <= known
