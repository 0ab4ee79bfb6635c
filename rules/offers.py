"""Which of the engine's interfaces stands for which capability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.findings import Capability

if TYPE_CHECKING:
    from analyzer.engine.bespoke import BespokeClass
    from rules.rule import Subject

INTERFACES: dict[Capability, tuple[str, ...]] = {
    Capability.PIPELINE_PARALLEL: ("SupportsPP",),
    Capability.LORA: ("SupportsLoRA",),
    Capability.QUANTIZATION: ("SupportsQuant",),
    Capability.SPECULATIVE_DECODING: ("SupportsEagle", "SupportsEagle3"),
    Capability.POOLING: ("VllmModelForPooling", "SupportsCrossEncoding", "SupportsLateInteraction"),
    Capability.MULTIMODAL: ("SupportsMultiModal",),
}
"""Protocols of `vllm/model_executor/models/interfaces.py` and `interfaces_base.py`, vLLM 0.11 to 0.33."""


def offered_today(subject: Subject, capability: Capability) -> bool | None:
    """Whether users have `capability` without the backend; None where the class that serves them cannot be read.

    Where no class was ever written, the numbers are Transformers' own: a backend that computes others loses them.
    """
    if subject.bespoke is not None:
        return bespoke_offers(subject.bespoke, capability)
    return None if subject.entry is not None else capability is Capability.ACCURACY


def bespoke_offers(bespoke: BespokeClass, capability: Capability) -> bool:
    """Whether the hand-written class gives its users `capability`."""
    if capability is Capability.TENSOR_PARALLEL:
        return bespoke.parallel_linear is not None
    if capability is Capability.COMPILE:
        return bespoke.compiled is not None
    wanted = INTERFACES.get(capability)
    return wanted is None or any(name in bespoke.interfaces for name in wanted)


def backend_offers(subject: Subject, capability: Capability) -> bool:
    """Whether the backend's class gives `capability`, before any finding about the model says otherwise."""
    if subject.backend_class is None:
        return False
    if capability is Capability.COMPILE:
        return subject.backend.compile_location is not None
    wanted = INTERFACES.get(capability)
    return wanted is None or any(subject.backend_class.interface(name) for name in wanted)
