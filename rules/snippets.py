"""The small made-up model that rule snippets vary: a Transformers model, its configuration, an engine class."""

from __future__ import annotations

MODELING = """
from ...modeling_utils import ALL_ATTENTION_FUNCTIONS, PreTrainedModel
from ...pytorch_utils import Conv1D
from .configuration_toy import ToyConfig


class ToyAttention(nn.Module):
    def __init__(self, config, layer_idx):
        super().__init__()
        self.config = config
        self.layer_idx = layer_idx
        self.q_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.k_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.v_proj = nn.Linear(config.hidden_size, config.hidden_size)
        self.o_proj = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states, attention_mask=None, **kwargs):
        attention_interface = ALL_ATTENTION_FUNCTIONS.get_interface(self.config._attn_implementation, eager)
        query, key, value = self.q_proj(hidden_states), self.k_proj(hidden_states), self.v_proj(hidden_states)
        output, _ = attention_interface(self, query, key, value, attention_mask, scaling=1.0, **kwargs)
        return self.o_proj(output)


class ToyLayer(nn.Module):
    def __init__(self, config, layer_idx):
        super().__init__()
        self.self_attn = ToyAttention(config, layer_idx)


class ToyPreTrainedModel(PreTrainedModel):
    config: ToyConfig
    _supports_attention_backend = True


class ToyModel(ToyPreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([ToyLayer(config, i) for i in range(config.num_hidden_layers)])
        self.norm = nn.LayerNorm(config.hidden_size)

    def forward(self, input_ids, position_ids, **kwargs):
        hidden_states = self.embed_tokens(input_ids)
        for layer in self.layers:
            hidden_states = layer(hidden_states, **kwargs)
        return BaseModelOutputWithPast(last_hidden_state=self.norm(hidden_states))


class ToyForCausalLM(ToyPreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.model = ToyModel(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def forward(self, input_ids, logits_to_keep=0, **kwargs):
        outputs = self.model(input_ids, **kwargs)
        hidden_states = outputs.last_hidden_state
        logits = self.lm_head(hidden_states[:, -1:, :])
"""

CONFIGURATION = """
class ToyConfig(PreTrainedConfig):
    model_type = "toy"
    base_model_tp_plan = {
        "layers.*.self_attn.q_proj": "colwise",
        "layers.*.self_attn.k_proj": "colwise",
        "layers.*.self_attn.v_proj": "colwise",
        "layers.*.self_attn.o_proj": "rowwise",
    }
    base_model_pp_plan = {
        "embed_tokens": (["input_ids"], ["inputs_embeds"]),
        "layers": (["hidden_states", "attention_mask"], ["hidden_states"]),
        "norm": (["hidden_states"], ["hidden_states"]),
    }
    vocab_size: int = 256
    hidden_size: int = 64
    num_hidden_layers: int = 2
    num_attention_heads: int = 4
"""

BESPOKE = """
class ToyForCausalLM(
    nn.Module, SupportsPP, SupportsLoRA, SupportsQuant, SupportsEagle, SupportsEagle3
): ...
"""

TP_PLAN_LINES = CONFIGURATION[CONFIGURATION.index("    base_model_tp_plan") : CONFIGURATION.index("    base_model_pp")]
PP_PLAN_LINES = CONFIGURATION[CONFIGURATION.index("    base_model_pp_plan") : CONFIGURATION.index("    vocab_size")]


def changed(source: str, old: str, new: str) -> str:
    """`source` with one place changed. Raises `ValueError` where that place is missing."""
    if source.count(old) != 1:
        raise ValueError(f"{old!r} stands {source.count(old)} times in the snippet's source")
    return source.replace(old, new)
