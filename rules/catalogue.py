"""The rules, in the order in which their findings are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.after_head import AfterHead
from rules.attention_interface import AttentionInterface
from rules.conv1d import TransposedLinear
from rules.lora import LowRankAdapters
from rules.no_hf_class import NoHuggingFaceClass
from rules.output_projection import OutputProjection
from rules.pp_plan import PipelineParallelPlan
from rules.quantization import Quantization
from rules.speculative_decoding import SpeculativeDecoding
from rules.tp_plan import TensorParallelPlan

if TYPE_CHECKING:
    from rules.rule import Rule

RULES: tuple[Rule, ...] = (
    NoHuggingFaceClass(),
    AttentionInterface(),
    TransposedLinear(),
    OutputProjection(),
    TensorParallelPlan(),
    PipelineParallelPlan(),
    LowRankAdapters(),
    Quantization(),
    SpeculativeDecoding(),
    AfterHead(),
)


def rule(code: str) -> Rule | None:
    """The rule called `code`."""
    return next((found for found in RULES if found.code == code), None)
