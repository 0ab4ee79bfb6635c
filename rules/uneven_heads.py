"""The rule `uneven-heads`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_INDEX = "        self.layer_idx = layer_idx\n"


class UnevenHeads(Rule):
    """Whether all layers have the same number of heads, of the same size.

    **What it does.** Looks in the constructors for a number or a size of heads that is chosen by the layer, such as
    one for layers with a sliding window and one for the others.

    **Why.** The backend gives every layer a cache for the heads that the configuration as a whole names, save for
    the few model types that the engine knows to differ. Another layer's keys and values do not fit it: "shape '[-1,
    512]' is invalid for input of size 128" (MiMo-V2-Flash on vLLM 0.32.0).

    **How to mend.** `retire-model smoke` settles whether the engine knows the model type.
    """

    code = "uneven-heads"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(
            modeling=changed(
                MODELING, _INDEX, f"{_INDEX}        self.num_kv_heads = config.num_heads if config.mha else 1\n"
            )
        ),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            modeling=changed(
                MODELING,
                _INDEX,
                f'{_INDEX}        sliding = config.layer_types[layer_idx] == "sliding_attention"\n'
                "        num_key_value_heads = config.num_heads * 2 if sliding else config.num_heads\n",
            )
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Unproven for the first such place."""
        if subject.model is not None and subject.model.uneven_heads:
            first = subject.model.uneven_heads[0]
            yield self.finding(
                Level.UNPROVEN,
                f"heads differ from layer to layer in {first.class_name}, `{first.source}`: the backend takes them to "
                "be alike, save for the model types that the engine knows",
                first.location,
                self.smoke(subject.model),
            )
