"""How big the fields of a configuration become when it is shrunk, by what they are called.

A field is looked up under its whole name, then without its first words: `decoder_attention_heads` is an
`attention_heads`. What is not listed keeps its default.
"""

from __future__ import annotations

from typing import Any

Settings = dict[str, Any]
"""Fields of a configuration with their values."""

LAYERS, HIDDEN, HEADS, KEY_VALUE_HEADS, HEAD_DIM, VOCABULARY, INTERMEDIATE = 4, 128, 4, 2, 32, 256, 256
EXPERT_INTERMEDIATE, EXPERTS, EXPERTS_PER_TOKEN, RANK, STATE = 64, 4, 2, 64, 16

EXACT: dict[str, int] = {
    **dict.fromkeys(("hidden_size", "hidden_size_global", "d_model", "n_embd", "n_embed", "dim_model"), HIDDEN),
    **dict.fromkeys(("emb_dim", "embed_dim", "embedding_dim", "embedding_size", "proj_dim", "lru_width"), HIDDEN),
    **dict.fromkeys(("num_hidden_layers", "num_layers", "n_layers", "n_layer", "num_blocks", "depth"), LAYERS),
    **dict.fromkeys(("decoder_layers", "encoder_layers", "layers_per_stack"), LAYERS),
    **dict.fromkeys(("attention_heads", "num_heads", "n_heads", "n_head", "query_groups"), HEADS),
    **dict.fromkeys(("key_value_heads", "kv_heads", "kv_n_heads", "num_key_heads"), KEY_VALUE_HEADS),
    "num_value_heads": HEADS,
    **dict.fromkeys(("head_dim", "d_head", "dim_head", "headdim", "head_size", "kv_channels", "d_kv"), HEAD_DIM),
    "qk_head_dim": 2 * HEAD_DIM,
    **dict.fromkeys(("intermediate_size", "intermediate_size_mlp", "ffn_dim", "d_ff", "dff", "dim_ff"), INTERMEDIATE),
    **dict.fromkeys(("d_inner", "n_inner", "mlp_dim", "ffn_hidden_size", "feed_forward_size"), INTERMEDIATE),
    **dict.fromkeys(("moe_intermediate_size", "expert_intermediate_size"), EXPERT_INTERMEDIATE),
    **dict.fromkeys(("expert_ffn_hidden_size", "shared_intermediate_size"), EXPERT_INTERMEDIATE),
    "hidden_size_per_layer_input": HEAD_DIM,
    "lora_rank": RANK,
    **dict.fromkeys(("mamba_n_heads", "mamba_num_heads"), 2 * HIDDEN // HEAD_DIM),
    "mamba_d_ssm": 2 * HIDDEN,
}
"""Set to this size whatever the default is, unless that is none or nought, which switches the feature off."""

AT_MOST: dict[str, int] = {
    **dict.fromkeys(("vocab_size", "vocab", "vocab_size_per_layer_input", "ngram_vocab_size_base"), VOCABULARY),
    **dict.fromkeys(("num_experts", "local_experts", "routed_experts", "expert_num"), EXPERTS),
    **dict.fromkeys(("experts_per_tok", "experts_per_token", "moe_topk", "moe_top_k", "moe_k"), EXPERTS_PER_TOKEN),
    **dict.fromkeys(("top_k_experts", "selected_experts"), EXPERTS_PER_TOKEN),
    **dict.fromkeys(("shared_experts", "shared_expert"), 1),
    **dict.fromkeys(("n_group", "n_groups", "ngroups", "topk_group", "expert_group", "expert_groups", "o_groups"), 1),
    **dict.fromkeys(("k_dense_replace", "dense_layers", "layer_start_index", "layer_offset"), 1),
    **dict.fromkeys(("layer_period", "layer_interval", "layer_step", "every_n_layers"), LAYERS),
    "layer_end_index": LAYERS - 1,
    "kv_shared_layers": 0,
    **dict.fromkeys(("d_state", "state_size", "lowrank"), STATE),
    "budget": 64,
    "compress_ratio": 4,
    "rotary_dim": HEAD_DIM // 2,
}
"""Set to this size where the default is larger."""

CORE = ("num_hidden_layers", "hidden_size", "vocab_size")
"""Without these a model is not small; no repair takes them back."""


def size_of(name: str, default: int) -> int:
    """What a field called `name` becomes."""
    if not default:
        return default
    words = name.removesuffix("_per_layer").split("_")
    for start in range(len(words)):
        tail = "_".join(words[start:])
        if tail in EXACT:
            # One head of keys for all is a kind of its own.
            return EXACT[tail] if default > 1 or EXACT[tail] != KEY_VALUE_HEADS else default
        if tail in AT_MOST:
            return min(default, AT_MOST[tail])
    return default
