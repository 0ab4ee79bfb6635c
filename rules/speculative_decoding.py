"""The rule `speculative-decoding`."""

from __future__ import annotations

from typing import ClassVar

from rules.findings import Capability
from rules.interface_rule import InterfaceRule
from rules.rule import Snippet


class SpeculativeDecoding(InterfaceRule):
    """Whether the model can be the target of Eagle speculative decoding before and after.

    **What it does.** Compares the bases of the hand-written class with those of the backend's class: one that
    inherits `SupportsEagle` or `SupportsEagle3` can hand its hidden states to a draft model.

    **Why.** The backend inherits both since vLLM 0.20; many hand-written classes inherit neither.

    **How to mend.** A gain needs nothing. A loss must be accepted (`--accept speculative-decoding`), or the
    interface added to the backend. A list of model types elsewhere in the engine may still keep a backend class
    out of speculative decoding: look for the model type in `vllm/config/speculative.py`.
    """

    code = "speculative-decoding"
    capability = Capability.SPECULATIVE_DECODING
    what = "speculative decoding with Eagle"
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(bespoke="class ToyForCausalLM(nn.Module, SupportsPP, SupportsEagle): ..."),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (Snippet(bespoke="class ToyForCausalLM(nn.Module, SupportsPP): ..."),)
