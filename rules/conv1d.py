"""The rule `conv1d`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator


class TransposedLinear(Rule):
    """Whether the model builds `transformers.pytorch_utils.Conv1D`, a linear layer with a transposed weight.

    **What it does.** Lists each place that builds that class; other classes with "Conv1D" in their name
    (`CausalConv1D`, `SeparableConv1D`, `nn.Conv1d`) are something else.

    **Why.** The backend replaces `nn.Linear` (and some convolutions and norms) by layers of its own, which load
    and shard weights. It does not know `Conv1D`: its weights are not initialised from the checkpoint and cannot
    be sharded. vLLM had to put GPT-2 back after it had been moved to the backend for this reason.

    **How to mend.** Keep the modeling file until the Hugging Face class uses `nn.Linear`.
    """

    code = "conv1d"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(modeling=changed(MODELING, "self.norm = nn.LayerNorm(", "self.norm = CausalConv1D(")),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=changed(MODELING, "self.o_proj = nn.Linear(", "self.o_proj = Conv1D(")),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks at each place that builds one, unless the backend replaces them."""
        if subject.model is None or subject.backend.replaces("Conv1D") is not None:
            return
        for layer in sorted(subject.model.conv1d, key=lambda layer: layer.location):
            yield self.finding(
                Level.BLOCKS,
                f"{layer.owner}.{layer.attribute} is a Conv1D of transformers.pytorch_utils, which the backend does "
                "not replace: it can neither load nor shard it",
                layer.location,
                "Let the Hugging Face class use nn.Linear.",
            )
