"""The rule `moe-experts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION, MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXPERTS = "self.self_attn = ToyAttention(config, layer_idx)"
_WITH_EXPERTS = changed(MODELING, _EXPERTS, f"{_EXPERTS}\n        self.experts = ToyExperts(config)") + (
    "\n\nclass ToyExperts(nn.Module):\n    def __init__(self, config):\n        super().__init__()\n"
)
_COUNT = f"{CONFIGURATION}    num_experts: int = 4\n"


class MixtureOfExperts(Rule):
    """Whether the backend finds what it needs to replace a mixture of experts by its own.

    **What it does.** Reads from the backend's source the configuration fields that it asserts before it builds its
    fused experts, and looks for them in the configuration; and looks for a module that is called `experts`, which
    is how the backend recognises the experts of a block.

    **Why.** Aria keeps the number of experts a token goes to in `moe_topk`, which the backend of vLLM 0.24 to 0.33
    does not look for: it stops at `assert top_k is not None`. Experts under another name are not replaced: they run
    as Transformers wrote them, whole on every rank and slow.

    **How to mend.** Give the Hugging Face configuration the standard field, by `attribute_map` where it has another
    name for it.
    """

    code = "moe-experts"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(modeling=_WITH_EXPERTS, configuration=f"{_COUNT}    num_experts_per_tok: int = 2\n"),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=_WITH_EXPERTS, configuration=f"{_COUNT}    moe_topk: int = 2\n"),
        Snippet(configuration=f"{_COUNT}    num_experts_per_tok: int = 2\n"),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for a field that is missing, a note for experts that stay as they are."""
        model = subject.model
        if model is None or not model.mixture_of_experts:
            return
        for required in subject.backend.required_fields:
            if required.for_experts and not model.fields.known.intersection(required.names):
                yield self.finding(
                    Level.BLOCKS,
                    f"{model.configuration_class} has none of the fields {', '.join(required.names)}, without which "
                    f"the backend cannot replace the experts ({required.location})",
                    model.configuration,
                    "Add the field to the Hugging Face configuration, or to its attribute_map.",
                )
        if "experts" not in model.attributes:
            yield self.finding(
                Level.NOTE,
                f"{model.base_class} has no module called `experts`: the backend leaves its experts as they are, whole "
                "on every rank",
                model.base,
                "",
            )
