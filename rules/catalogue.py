"""The rules, in the order in which their findings are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import WrongUse, shown
from analyzer.near_names import did_you_mean
from rules.after_head import AfterHead
from rules.attention_dispatch import AttentionDispatch
from rules.attention_interface import AttentionInterface
from rules.attention_mask import AttentionMask
from rules.built_by_name import BuiltByName
from rules.changed_class import ChangedClass
from rules.config_drift import ConfigurationDrift
from rules.conv1d import TransposedLinear
from rules.custom_kernels import CustomKernels
from rules.dependents import Dependents
from rules.encoder_decoder import EncoderDecoder
from rules.engine_configuration import EngineConfiguration
from rules.forward_arguments import ForwardArguments
from rules.hard_coded_heads import HardCodedHeads
from rules.latent_attention import LatentAttention
from rules.linear_subclass import LinearSubclass
from rules.logit_scale import LogitScale
from rules.lora import LowRankAdapters
from rules.mask_use import MaskUse
from rules.moe_experts import MixtureOfExperts
from rules.multi_axis_positions import MultiAxisPositions
from rules.multimodal_processor import MultimodalProcessor
from rules.no_hf_class import NoHuggingFaceClass
from rules.output_projection import OutputProjection
from rules.packed_projection import PackedProjection
from rules.pooling_task import PoolingTask
from rules.pp_handover import PipelineHandover
from rules.pp_layout import PipelineLayout
from rules.pp_plan import PipelineParallelPlan
from rules.quantization import Quantization
from rules.sinks import AttentionSinks
from rules.sliding_window import SlidingWindow
from rules.softcap import Softcap
from rules.speculative_decoding import SpeculativeDecoding
from rules.tp_plan import TensorParallelPlan
from rules.tp_plan_coverage import TensorParallelPlanCoverage
from rules.uneven_heads import UnevenHeads
from rules.unread_class import UnreadClass
from rules.weight_mapping import WeightMapping
from rules.weight_use import WeightUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules.rule import Rule

RULES: tuple[Rule, ...] = (
    NoHuggingFaceClass(),
    UnreadClass(),
    ChangedClass(),
    EngineConfiguration(),
    EncoderDecoder(),
    AttentionInterface(),
    AttentionDispatch(),
    ForwardArguments(),
    MaskUse(),
    LatentAttention(),
    UnevenHeads(),
    MultiAxisPositions(),
    TransposedLinear(),
    LinearSubclass(),
    WeightUse(),
    OutputProjection(),
    MixtureOfExperts(),
    TensorParallelPlan(),
    HardCodedHeads(),
    PackedProjection(),
    TensorParallelPlanCoverage(),
    PipelineParallelPlan(),
    PipelineLayout(),
    PipelineHandover(),
    LowRankAdapters(),
    Quantization(),
    SpeculativeDecoding(),
    MultimodalProcessor(),
    PoolingTask(),
    WeightMapping(),
    ConfigurationDrift(),
    CustomKernels(),
    AfterHead(),
    LogitScale(),
    SlidingWindow(),
    Softcap(),
    AttentionSinks(),
    AttentionMask(),
    Dependents(),
    BuiltByName(),
)


def choose(select: Sequence[str], ignore: Sequence[str]) -> tuple[Rule, ...]:
    """The rules of `select` (all where it is empty) without those of `ignore`.

    Raises `WrongUse` with the nearest names for a code that no rule has.
    """
    for code in (*select, *ignore):
        if rule(code) is None:
            hint = did_you_mean(code, [found.code for found in RULES], "`retire-model rules` lists them.")
            raise WrongUse(f"unknown rule {shown(code)!r}", hint)
    left = tuple(r for r in RULES if (not select or r.code in select) and r.code not in ignore)
    if not left:
        raise WrongUse("no rule is left to ask", "Select a rule that is not ignored.")
    return left


def rule(code: str) -> Rule | None:
    """The rule called `code`."""
    return next((found for found in RULES if found.code == code), None)
