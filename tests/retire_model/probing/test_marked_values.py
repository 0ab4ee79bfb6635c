"""Which fields of a configuration get a value that shows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from retire_model.probing.marked_values import GROUPS, WINDOW, marked
from retire_model.smoke.inside.prompts import LONG, prompts


def everything(**fields: Any) -> dict[str, Any]:
    return {k: v for group in GROUPS for k, v in marked(SimpleNamespace(**fields), group).items()}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"logits_scaling": 1.0, "hidden_size": 8}, {"logits_scaling": 3.0}),
        ({"final_logit_softcapping": None}, {"final_logit_softcapping": 2.0}),
        ({"sliding_window": 4096}, {"sliding_window": WINDOW}),
        ({"sliding_window": None}, {}),
        ({"attention_bias": False, "mlp_bias": True}, {"attention_bias": True}),
        ({"tie_word_embeddings": True}, {"tie_word_embeddings": False}),
        ({"num_key_value_heads": 2}, {"num_key_value_heads": 1}),
        # The one says what the other is.
        ({"num_key_value_heads": 1, "multi_query": True}, {"multi_query": False}),
        ({"scaling": 1.0, "attribute_map": {"logits_scaling": "scaling"}}, {"scaling": 3.0}),
    ],
)
def test_values(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    assert everything(**fields) == expected


def test_prompts() -> None:
    asked = prompts(256)
    assert asked == prompts(256)
    lengths = [len(tokens) for _, _, tokens in asked]
    assert min(lengths) < WINDOW < max(lengths) == LONG
    assert len({len(tokens) for _, batched, tokens in asked if batched}) > 1
    assert all(4 <= token < 256 for _, _, tokens in asked for token in tokens)
