"""The rule `attention-mask`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.release.attention_arguments import MASK
from rules.argument_rule import REMEDY
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALL = "output, _ = attention_interface("
_LAYER_TYPE_OF = {"chunked_causal": "chunked_attention"}
"""Masks that leave out positions, and the layer type by which an engine could know of them."""
_WITHOUT_EFFECT = frozenset(
    {"scaling", "dropout", "is_causal", "position_ids", "output_attentions", "use_cache", "deterministic"}
)
"""Arguments that training, padding or another implementation needs; `scaling` and `is_causal` have their own rules."""
_OTHER_RULES = frozenset({"sliding_window", "softcap", "s_aux"})
_PACKED = ("cu_seq_lens", "max_length")


class AttentionMask(Rule):
    """Whether what the model masks, adds or selects in attention is more than the engine's attention does.

    **What it does.** Reads the mask and the other arguments that attention modules hand to the interface: a mask
    that the module itself calculates, a bias, indices of selected positions; and which masks the model builds.

    **Why.** The engine's attention is causal, with a window or without, and takes no mask: the backend ignores
    the argument. A learned mask (Doge), a bias on positions (Inkling) or a selection of keys (DeepSeek 3.2) is
    lost, and chunked attention (Llama 4) runs as full attention without a word. Short prompts may hide it.

    **How to mend.** Keep the modeling file, or accept the loss (`--accept accuracy`).
    """

    code = "attention-mask"
    capability = Capability.ACCURACY
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(modeling=changed(MODELING, "scaling=1.0, ", "scaling=1.0, dropout=self.dropout, ")),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=changed(MODELING, _CALL, f"attention_mask = self.mask_of(query)\n        {_CALL}")),
        Snippet(modeling=changed(MODELING, "scaling=1.0, ", "scaling=1.0, position_bias=self.bias(query), ")),
        Snippet(
            modeling="from ...masking_utils import create_chunked_causal_mask\n"
            + changed(
                MODELING,
                "        self.norm = nn.LayerNorm(config.hidden_size)\n",
                "        self.norm = nn.LayerNorm(config.hidden_size)\n\n    def forward(self, x, position_ids=None, "
                "**kwargs):\n        mask = create_chunked_causal_mask(config=self.config)\n",
            )
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Loses accuracy for each, a note for an argument that nothing is known about."""
        if subject.model is None:
            return
        attention = subject.backend.attention
        told: set[str] = set()
        for module in subject.model.attention:
            for argument in module.arguments:
                name = argument.name
                known = _WITHOUT_EFFECT | _OTHER_RULES | (attention.arguments - {MASK})
                if name in known or name in told or name.startswith(_PACKED):
                    continue
                if name == MASK and not argument.value.computed:
                    continue
                told.add(name)
                level = Level.LOSES if argument.value.computed else Level.NOTE
                does = "calculates its own mask" if name == MASK else f"hands over {name}={argument.value.source}"
                message = f"{module.name} {does}, which the backend's attention does not apply"
                yield self.finding(level, message, argument.location, REMEDY)
        for mask in subject.model.masks:
            layer_type = _LAYER_TYPE_OF.get(mask.kind)
            if layer_type is not None and layer_type not in attention.layer_types:
                message = f"the model masks by {mask.kind}, and this backend runs layers of type {layer_type} with full"
                yield self.finding(Level.LOSES, f"{message} attention", mask.location, REMEDY)
