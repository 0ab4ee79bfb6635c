"""The rule `lora`."""

from __future__ import annotations

from typing import ClassVar

from rules.findings import Capability
from rules.interface_rule import InterfaceRule
from rules.rule import Snippet


class LowRankAdapters(InterfaceRule):
    """Whether LoRA adapters can be used before and after.

    **What it does.** Compares the bases of the hand-written class with those of the backend's class: one that
    inherits `SupportsLoRA` accepts adapters.

    **Why.** The backend's classes inherit `SupportsLoRA`, many hand-written ones do not: most retirements gain
    it, and the docs row should say so. Maintainers left the cell blank for FlexOlmo over three releases and for
    GPT-NeoX still, though the backend gives it.

    **How to mend.** A gain needs nothing: the docs row gets its tick. A loss must be accepted
    (`--accept lora`), or the interface added to the backend.
    """

    code = "lora"
    capability = Capability.LORA
    what = "LoRA adapters"
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(bespoke="class ToyForCausalLM(nn.Module, SupportsPP, SupportsLoRA): ..."),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (Snippet(bespoke="class ToyForCausalLM(nn.Module, SupportsPP): ..."),)
