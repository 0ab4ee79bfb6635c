"""The rule `sinks`."""

from __future__ import annotations

from typing import ClassVar

from rules.argument_rule import ArgumentRule
from rules.rule import Snippet
from rules.snippets import MODELING, changed


class AttentionSinks(ArgumentRule):
    """Whether attention sinks reach the engine's attention layers.

    **What it does.** Looks for `s_aux` among the arguments that attention modules hand to the interface, and in
    the backend's source for that name.

    **Why.** A sink takes part in every softmax. Up to vLLM 0.29 the backend's attention function swallowed
    `s_aux` in its `**kwargs`, without a word, and every output was wrong; from 0.30 the tensor is handed to the
    engine's attention layer, or an error raised.

    **How to mend.** Use an engine release that knows `s_aux`, or keep the modeling file.
    """

    code = "sinks"
    keyword = "s_aux"
    engine_keyword = "sinks"
    what = "attention sinks"
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            modeling=changed(
                changed(
                    MODELING,
                    "        self.layer_idx = layer_idx\n",
                    "        self.layer_idx = layer_idx\n"
                    "        self.sinks = nn.Parameter(torch.empty(config.num_attention_heads))\n",
                ),
                "scaling=1.0, ",
                "scaling=1.0, s_aux=self.sinks, ",
            )
        ),
    )
