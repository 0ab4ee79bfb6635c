"""What a smoke run was asked for, once it is known what there is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - part of a public field


class Device(StrEnum):
    """Where the models run."""

    CPU = "cpu"
    CUDA = "cuda"


class Size(StrEnum):
    """How large the models are."""

    TINY = "tiny"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Settings:
    """The same for every model of one run."""

    device: Device
    device_name: str
    dtype: str
    tensor_parallel: int
    """One leaves the check out; so does it for stages."""
    pipeline_parallel: int
    rounds: int
    """Of the comparison of speed and memory; none leaves it out."""
    seconds: int
    """That one run may take."""
    size: Size
    load_format: str
    checkpoint: Path | None
    """A real one, in place of the random ones."""

    @property
    def compares_numbers(self) -> bool:
        """Whether the weights are the same on both sides, and Transformers'."""
        return self.load_format != "dummy"
