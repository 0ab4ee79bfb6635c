"""What the probe's child said of one architecture, checked and typed: it comes from a process that ran foreign code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

CLOSE = 1e-4
"""Two runs agree where the largest difference is below this part of the largest value; rounding is about 1e-6."""


@dataclass(frozen=True, slots=True)
class NotBuilt:
    """No small model of it could be built, or its process did not live to tell."""

    architecture: str
    reason: str


@dataclass(frozen=True, slots=True)
class BuiltLinear:
    """A kind of linear, counted over all layers."""

    name: str
    """Below the language model, a number of a list as `*`."""
    owner: str
    inputs: int
    outputs: int
    count: int
    style: str | None
    """The parallel style of the first pattern of the plan that reaches it; None where none does."""


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """A module that called the attention interface."""

    name: str
    class_name: str
    layer: int | None
    calls: int


@dataclass(frozen=True, slots=True)
class SecondRun:
    """The same forward run otherwise: by two ranks, or in two stages."""

    difference: float | None
    """The largest difference to the plain forward; None where it failed."""
    scale: float | None
    error: str | None

    @property
    def agrees(self) -> bool:
        """Whether it gives the same numbers."""
        return self.difference is not None and self.difference <= CLOSE * max(self.scale or 0.0, 1e-3)

    @property
    def told(self) -> str:
        """How it went, in words."""
        if self.difference is None:
            return f"it fails: {self.error}"
        words = "the same numbers" if self.agrees else "other numbers"
        return f"{words} (largest difference {self.difference:.1e}, largest value {self.scale or 0.0:.1f})"


@dataclass(frozen=True, slots=True)
class BuiltHead:
    """The projection to the vocabulary."""

    projection: str
    bias: bool
    tied: bool


@dataclass(frozen=True, slots=True)
class ProbeReading:
    """A model as it was built and run."""

    architecture: str
    transformers: str
    torch: str
    settings: Mapping[str, str]
    """What was set in the configuration to shrink it."""
    base_class: str
    configuration_class: str
    mixture_of_experts: bool
    tensor_parallel_plan: Mapping[str, str]
    """Of the language model's instance."""
    pipeline_parallel_plan: tuple[str, ...]
    supports_pipeline_parallel_plan: bool
    linears: tuple[BuiltLinear, ...]
    transposed_linears: frozenset[tuple[str, str]]
    """Owner class and attribute of each `Conv1D`."""
    classes: frozenset[str]
    ran: frozenset[str]
    """The classes whose forward was called."""
    attention: tuple[Dispatcher, ...]
    attention_error: str | None
    """Why the model cannot be built or run with an attention implementation of somebody else."""
    head: BuiltHead | None
    sharded: SecondRun | None
    """None where there is no plan to shard by, or no forward."""
    staged: SecondRun | None


def parse(answer: Mapping[str, Any]) -> ProbeReading | NotBuilt:
    """The answer typed; one that is not as it must be counts as not built."""
    architecture = str(answer.get("architecture"))
    if "not_built" in answer:
        return NotBuilt(architecture, str(answer["not_built"]))
    try:
        return _reading(architecture, answer)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return NotBuilt(architecture, f"the probe's answer cannot be read ({type(error).__name__}: {error})")


def _reading(architecture: str, answer: Mapping[str, Any]) -> ProbeReading:
    head = answer["head"]
    return ProbeReading(
        architecture=architecture,
        transformers=str(answer["transformers"]),
        torch=str(answer["torch"]),
        settings={str(k): str(v) for k, v in answer["settings"].items()},
        base_class=str(answer["base_class"]),
        configuration_class=str(answer["configuration_class"]),
        mixture_of_experts=bool(answer["mixture_of_experts"]),
        tensor_parallel_plan={str(k): str(v) for k, v in answer["tensor_parallel_plan"].items()},
        pipeline_parallel_plan=tuple(str(name) for name in answer["pipeline_parallel_plan"]),
        supports_pipeline_parallel_plan=bool(answer["supports_pipeline_parallel_plan"]),
        linears=tuple(_linear(row) for row in answer["linears"]),
        transposed_linears=frozenset((str(owner), str(name)) for owner, name in answer["transposed_linears"]),
        classes=frozenset(str(name) for name in answer["classes"]),
        ran=frozenset(str(name) for name in answer["ran"]),
        attention=tuple(_dispatcher(row) for row in answer["attention"]),
        attention_error=_text(answer["attention_error"]),
        head=BuiltHead(str(head["projection"]), bool(head["bias"]), bool(head["tied"])) if head is not None else None,
        sharded=_run(answer["sharded"]),
        staged=_run(answer["staged"]),
    )


def _linear(row: Mapping[str, Any]) -> BuiltLinear:
    inputs, outputs, count = (int(row[name]) for name in ("inputs", "outputs", "count"))
    return BuiltLinear(str(row["name"]), str(row["owner"]), inputs, outputs, count, _text(row["style"]))


def _dispatcher(row: Mapping[str, Any]) -> Dispatcher:
    layer = row["layer"]
    return Dispatcher(str(row["name"]), str(row["class"]), None if layer is None else int(layer), int(row["calls"]))


def _run(row: Mapping[str, Any] | None) -> SecondRun | None:
    if row is None:
        return None
    difference, scale = (None if row[n] is None else float(row[n]) for n in ("difference", "scale"))
    return SecondRun(difference, scale, _text(row["error"]))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
