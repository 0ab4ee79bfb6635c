"""The rule `encoder-decoder`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION

if TYPE_CHECKING:
    from collections.abc import Iterator

_FLAG = "is_encoder_decoder"
_CROSS_ATTENTION = "CrossAttention"
"""The engine's layer for attention to an encoder's states (`layers/attention/cross_attention.py`)."""


class EncoderDecoder(Rule):
    """Whether the model attends to the states of an encoder, which the backend cannot serve.

    **What it does.** Reads the default of `is_encoder_decoder` in the configuration class, and whether the
    modeling file uses the engine's cross attention, which the backend's files do not.

    **Why.** The backend gives each layer one attention and one KV cache and runs one decoder: a second attention
    module in a layer is refused ("dispatches attention from more than one module", Whisper), or the decoder's
    forward takes no `position_ids` (BART, Marian, Pegasus).

    **How to mend.** Keep the modeling file, or give it to a plugin (`--plugin`), as vLLM did with BART.
    """

    code = "encoder-decoder"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(configuration=CONFIGURATION + f"    {_FLAG}: bool = False\n"),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(configuration=CONFIGURATION + f"    {_FLAG}: bool = True\n"),
        Snippet(
            bespoke="from vllm.model_executor.layers.attention import CrossAttention\n\n\n"
            "class ToyForCausalLM(nn.Module, SupportsPP):\n"
            "    def __init__(self, config):\n"
            "        self.encoder_attn = CrossAttention(config.num_attention_heads)\n"
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks where the configuration or the modeling file says so."""
        model = subject.model
        if model is None:
            return
        if not model.fields.neutral(_FLAG):
            message = f"{model.configuration_class} is that of an encoder and a decoder, of which the backend runs none"
            yield self.finding(Level.BLOCKS, message, model.configuration, "")
            return
        if subject.bespoke is None or _CROSS_ATTENTION in subject.backend.engine.names:
            return
        for call in subject.bespoke.engine_calls:
            # An encoder that it borrows from another model's file brings that model's decoder along.
            if call.name == _CROSS_ATTENTION and call.location.file == subject.bespoke.location.file:
                message = "the modeling file attends to an encoder's states (CrossAttention), and the backend cannot"
                yield self.finding(Level.BLOCKS, message, call.location, "")
                return
