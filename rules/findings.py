"""What a rule says: a finding about one capability, at one level, at one place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.locations import Location


class Capability(StrEnum):
    """What a user can do with a model."""

    LOAD = "load"
    TENSOR_PARALLEL = "tensor-parallel"
    PIPELINE_PARALLEL = "pipeline-parallel"
    LORA = "lora"
    QUANTIZATION = "quantization"
    SPECULATIVE_DECODING = "speculative-decoding"
    COMPILE = "compile"
    POOLING = "pooling"
    MULTIMODAL = "multimodal"
    ACCURACY = "accuracy"


class Level(StrEnum):
    """How a finding bears on the verdict."""

    BLOCKS = "blocks"
    LOSES = "loses"
    GAINS = "gains"
    UNPROVEN = "unproven"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule's judgement on facts."""

    rule: str
    capability: Capability
    level: Level
    message: str
    location: Location | None
    remedy: str
    architecture: str = ""
