"""What the probe's child would say of the toy model of `rules.snippets`, for tests without torch."""

from __future__ import annotations

from typing import Any

LINEARS = [
    {
        "name": f"layers.*.self_attn.{name}",
        "owner": "ToyAttention",
        "inputs": 64,
        "outputs": 64,
        "count": 2,
        "style": "rowwise" if name == "o_proj" else "colwise",
    }
    for name in ("q_proj", "k_proj", "v_proj", "o_proj")
]
SAME: dict[str, Any] = {"difference": 1e-6, "scale": 3.0, "error": None}


def toy_answer(**changed: Any) -> dict[str, Any]:
    """The answer, with some of its parts changed."""
    answer = {
        "architecture": "ToyForCausalLM",
        "transformers": "5.0.0",
        "torch": "2.9.0",
        "settings": {"hidden_size": "128"},
        "base_class": "ToyModel",
        "configuration_class": "ToyConfig",
        "language_model": "",
        "mixture_of_experts": False,
        "tensor_parallel_plan": {
            f"layers.*.self_attn.{name}": "rowwise" if name == "o_proj" else "colwise"
            for name in ("q_proj", "k_proj", "v_proj", "o_proj")
        },
        "pipeline_parallel_plan": ["embed_tokens", "layers", "norm"],
        "supports_pipeline_parallel_plan": True,
        "linears": LINEARS,
        "transposed_linears": [],
        "classes": ["ToyAttention", "ToyLayer", "ToyModel"],
        "ran": ["ToyAttention", "ToyLayer", "ToyModel"],
        "attention": [
            {"name": f"layers.{i}.self_attn", "class": "ToyAttention", "layer": i, "calls": 1} for i in range(2)
        ],
        "attention_error": None,
        "head": {"projection": "lm_head", "bias": False, "tied": False},
        "sharded": SAME,
        "staged": SAME,
    }
    return answer | changed
