"""The rule `quantization`."""

from __future__ import annotations

from typing import ClassVar

from rules.findings import Capability
from rules.interface_rule import InterfaceRule
from rules.rule import Snippet


class Quantization(InterfaceRule):
    """Whether the class takes part in the engine's quantization interface before and after.

    **What it does.** Compares the bases of the hand-written class with those of the backend's class: one that
    inherits `SupportsQuant` hands its mapping of packed modules to the quantization configuration.

    **Why.** Without it a quantized checkpoint loads only where each layer was given its configuration by hand.
    The backend gives every linear that it replaces a quantization configuration.

    **How to mend.** A gain needs nothing. A loss must be accepted (`--accept quantization`), or the interface
    added to the backend. Quantized loads themselves are proved by `retire-model smoke`.
    """

    code = "quantization"
    capability = Capability.QUANTIZATION
    what = "quantization through the interface"
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(bespoke="class ToyForCausalLM(nn.Module, SupportsPP, SupportsQuant): ..."),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (Snippet(bespoke="class ToyForCausalLM(nn.Module, SupportsPP): ..."),)
