"""The rule `mask-use`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIRST = "        attention_interface = ALL_ATTENTION_FUNCTIONS"


class MaskUse(Rule):
    """Whether a layer can do without an attention mask.

    **What it does.** Looks in the forwards below the base model for a part or a property of `attention_mask` that is
    taken without asking first whether there is a mask.

    **Why.** With the backend's attention Transformers makes no mask: the engine masks by itself, and every layer gets
    None. "'NoneType' object is not subscriptable" (the indexers of GLM-MoE-DSA and HYV4 on vLLM 0.32.0).

    **How to mend.** Let the Hugging Face class do without a mask where it gets none.
    """

    code = "mask-use"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(
            modeling=changed(
                MODELING,
                _FIRST,
                f"        if attention_mask is not None:\n            part = attention_mask[:, 0]\n{_FIRST}",
            )
        ),
        Snippet(
            modeling=changed(
                MODELING,
                _FIRST,
                f"        attention_mask = make_mask(hidden_states)\n        part = attention_mask[:, 0]\n{_FIRST}",
            )
        ),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=changed(MODELING, _FIRST, f"        part = attention_mask[:, 0]\n{_FIRST}")),
        Snippet(modeling=changed(MODELING, _FIRST, f"        length = attention_mask.shape[-1]\n{_FIRST}")),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for the first such place of each class."""
        seen: set[str] = set()
        for use in subject.model.mask_uses if subject.model is not None else ():
            if use.class_name not in seen:
                seen.add(use.class_name)
                yield self.finding(
                    Level.BLOCKS,
                    f"{use.class_name} takes `{use.source}`, and with the backend's attention there is no mask",
                    use.location,
                    "Let the Hugging Face class do without a mask where it gets none.",
                )
