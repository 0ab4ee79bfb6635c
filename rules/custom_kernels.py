"""The rule `custom-kernels`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.engine_calls import EngineCall, EngineNames

_LAYERS = "vllm.model_executor.layers."
_KERNELS = (
    _LAYERS,
    "vllm.model_executor.kernels",
    "vllm.kernels",
    "vllm.third_party",
    "vllm.v1.attention.ops",
    "vllm._custom_ops",
    "torch.ops",
)
"""Where the engine keeps layers and operators, vLLM 0.11 to 0.33."""
_ORDINARY_FAMILIES = frozenset({"activation", "attention", "linear", "logits_processor", "pooler", "fused_moe"})
"""Families of layers that nearly every modeling file uses, and those that other rules are about."""
_ORDINARY = frozenset({"get_rope", "ApplyRotaryEmb"})
"""The engine's rotary embeddings, which every model loses: `torch.compile` fuses the Hugging Face ones."""
_ONE_BY_ONE = frozenset({"layernorm", "quantization", "utils"})
"""Families in which one member does not stand for another."""
_QUESTIONS = ("is_", "has_", "get_", "should_", "resolve_", "make_", "_")
_BOOKKEEPING = ("Calculator", "Modules", "Shape")
"""Beginnings and endings of helpers that ask, look up or hold, and compute nothing."""
_MOST_LISTED = 4


class CustomKernels(Rule):
    """Whether the modeling file calls layers or operators of the engine that the backend has nothing for.

    **What it does.** Lists what the hand-written class calls of the engine's layers, kernels and custom
    operators, and takes away what the backend's own files import, mention, or have another member of.

    **Why.** The backend replaces linears, norms, embeddings and experts, and fuses what its fusers recognise.
    A fused norm and rotary embedding, a quantized activation or a state space kernel of the modeling file runs
    as plain torch afterwards: slower, and rounded otherwise. Release notes warn of it; no retirement measured it.

    **How to mend.** Compare speed and log-probabilities on the hardware that the kernel is for before the file
    goes. A fuser of the backend may be the place for it.
    """

    code = "custom-kernels"
    capability = Capability.ACCURACY
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(
            bespoke="from vllm.model_executor.layers.rotary_embedding import get_rope\n\n\n"
            "class ToyForCausalLM(nn.Module, SupportsPP, SupportsLoRA):\n"
            "    def __init__(self, config):\n        self.rotary = get_rope(config.head_dim)\n"
        ),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            bespoke="from vllm import _custom_ops as ops\n\n\n"
            "class ToyForCausalLM(nn.Module, SupportsPP, SupportsLoRA):\n"
            "    def forward(self, x):\n        return ops.toy_norm(x)\n"
        ),
        Snippet(
            bespoke="from vllm.model_executor.layers.mamba.toy_mixer import ToyMixer\n\n\n"
            "class ToyForCausalLM(nn.Module, SupportsPP, SupportsLoRA):\n"
            "    def __init__(self, config):\n        self.mixer = ToyMixer(config)\n"
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """One note with all of them."""
        if subject.bespoke is None or subject.model is None:
            return
        found: dict[str, EngineCall] = {}
        for call in subject.bespoke.engine_calls:
            if not _has_counterpart(call, subject.backend.engine):
                operator = call.name.startswith(call.module)
                found.setdefault(call.name if operator else f"{call.name} ({call.module.removeprefix(_LAYERS)})", call)
        if found:
            more = f" and {len(found) - _MOST_LISTED} more" if len(found) > _MOST_LISTED else ""
            message = f"the backend has nothing for {', '.join(list(found)[:_MOST_LISTED])}{more}"
            place = next(iter(found.values())).location
            yield self.finding(Level.NOTE, message, place, "Compare speed and log-probabilities before it goes.")


def _has_counterpart(call: EngineCall, backend: EngineNames) -> bool:
    """Whether the backend mentions it, or imports from the same family, or it is no computation at all."""
    name = call.name.rpartition(".")[2]
    if not call.module.startswith(_KERNELS) or name.startswith(_QUESTIONS) or name.endswith(_BOOKKEEPING):
        return True
    family = call.module.removeprefix(_LAYERS).partition(".")[0]
    if call.name in backend.names or call.name in _ORDINARY or family in _ORDINARY_FAMILIES:
        return True
    if family in _ONE_BY_ONE:
        return False
    return call.module in backend.modules or any(
        family in module.rpartition(".")[2].split("_") for module in backend.modules
    )
