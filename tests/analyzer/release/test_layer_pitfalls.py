"""What modules do that does not hold with an engine's layers and masks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.layer_pitfalls import read_mask_uses, read_uneven_heads, read_weight_uses
from analyzer.release.model_modules import read_model_modules
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import write_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from analyzer.release.layer_pitfalls import Pitfall

FIRST = "        attention_interface = ALL_ATTENTION_FUNCTIONS"
INDEX = "        self.layer_idx = layer_idx\n"


def pitfalls(folder: Path, reader: Callable[..., tuple[Pitfall, ...]], old: str, new: str) -> list[str]:
    source = HuggingFaceSource(write_release(folder, Snippet(modeling=changed(MODELING, old, new))), "5.0.0")
    found = source.find("ToyForCausalLM")
    assert found is not None
    uses = reader(source.resolver, read_model_modules(source.resolver, found.base))
    assert {use.class_name for use in uses} <= {"ToyAttention"}
    return [use.source for use in uses]


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("part = attention_mask[:, 0]", ["attention_mask[:, 0]"]),
        ("part = attention_mask[:, 0] if attention_mask is not None else None", []),
        ("part = attention_mask is not None and attention_mask.any()", []),
        ("assert attention_mask is not None, attention_mask.shape", []),
        ("self.indexer(attention_mask[:, 0]); attention_mask = make()", ["attention_mask[:, 0]"]),
        ("mask = other_mask[:, 0]", []),
    ],
)
def test_masks(tmp_path: Path, line: str, uses: list[str]) -> None:
    new = "\n        ".join(line.split("; "))
    assert pitfalls(tmp_path, read_mask_uses, FIRST, f"        {new}\n{FIRST}") == uses


@pytest.mark.parametrize(
    ("line", "uses"),
    [
        ("x = F.linear(hidden_states, self.q_proj.weight)", ["self.q_proj.weight"]),
        ("x = hidden_states.to(self.q_proj.weight.dtype)", []),
        ("x = F.linear(hidden_states, self.norm.weight)", []),
    ],
)
def test_weights(tmp_path: Path, line: str, uses: list[str]) -> None:
    assert pitfalls(tmp_path, read_weight_uses, FIRST, f"        {line}\n{FIRST}") == uses


@pytest.mark.parametrize(
    ("lines", "uses"),
    [
        (["self.num_heads = config.wide if layer_idx % 2 else config.narrow"], 1),
        (["sliding = config.kinds[layer_idx] == 'x'", "self.head_dim = config.a if sliding else config.b"], 1),
        (["self.head_dim = config.head_dim if config.head_dim else 64"], 0),
        (["self.window = config.window if layer_idx % 2 else None"], 0),
    ],
)
def test_heads(tmp_path: Path, lines: list[str], uses: int) -> None:
    new = "".join(f"        {line}\n" for line in lines)
    assert len(pitfalls(tmp_path, read_uneven_heads, INDEX, INDEX + new)) == uses
