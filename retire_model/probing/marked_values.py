"""Values for the fields of a configuration that a default hides, by what the fields are called.

A multiplier of one, a window longer than every prompt, a bias of nought: a backend that forgets them passes every
test. What is listed here is set to a value that shows, where the configuration has the field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

WINDOW = 16
"""Shorter than the long prompt."""

MULTIPLIERS: dict[str, float] = {
    "logits_scaling": 3.0,
    "logit_scale": 0.5,
    "embedding_multiplier": 2.0,
    "residual_multiplier": 0.5,
    "attention_multiplier": 0.3,
    "lm_head_multiplier": 0.5,
    "logits_multiplier": 0.5,
    "output_multiplier": 0.5,
    "key_multiplier": 0.5,
    "attention_in_multiplier": 0.5,
    "attention_out_multiplier": 0.5,
    "mup_multiplier": 0.5,
    "scale_emb": 2.0,
    "scale_depth": 2.0,
    "routed_scaling_factor": 1.7,
    "router_logit_scale": 0.5,
    "attention_value_scale": 0.5,
    "query_pre_attn_scalar": 9.0,
}
CAPS: dict[str, float] = {
    "final_logit_softcapping": 2.0,
    "attn_logit_softcapping": 2.0,
    "logits_soft_cap": 2.0,
    "clip_qkv": 0.5,
}
WINDOWS: dict[str, int] = {"sliding_window": WINDOW, "attention_window_size": WINDOW, "attention_chunk_size": WINDOW}
BIASES = ("attention_bias", "qkv_bias", "use_qkv_bias", "mlp_bias", "use_bias", "lm_head_bias", "bias")
TIES = ("tie_word_embeddings",)
KEY_VALUE_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv")

GROUPS = ("multipliers", "caps", "windows", "biases", "ties", "multi-query")


def marked(configuration: Any, group: str) -> dict[str, Any]:
    """What the group sets in this configuration: only fields that it has, and only what changes them."""
    return {name: value for name, value in _wanted(configuration, group) if vars(configuration).get(name) != value}


def _wanted(configuration: Any, group: str) -> Iterator[tuple[str, Any]]:
    aliases: dict[str, str] = getattr(configuration, "attribute_map", None) or {}
    has = vars(configuration)

    def known(names: Any) -> Iterator[tuple[str, str]]:
        for name in names:
            field = name if name in has else aliases.get(name, name)
            if field in has:
                yield name, field

    match group:
        case "multipliers":
            yield from ((field, MULTIPLIERS[name]) for name, field in known(MULTIPLIERS))
        case "caps":
            yield from ((field, CAPS[name]) for name, field in known(CAPS))
        case "windows":
            # A window that is none by default is a feature that the model has off.
            yield from ((field, WINDOWS[name]) for name, field in known(WINDOWS) if has[field] is not None)
        case "biases":
            yield from ((field, True) for _, field in known(BIASES) if has[field] is False)
        case "ties":
            yield from ((field, not has[field]) for _, field in known(TIES) if isinstance(has[field], bool))
        case "multi-query" if isinstance(has.get("multi_query"), bool):
            yield "multi_query", not has["multi_query"]
        case "multi-query":
            yield from ((field, 1) for _, field in known(KEY_VALUE_HEADS) if isinstance(has[field], int))
