"""Compares what was read without running anything with what the built model is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.attention_interface import ENGINE_IMPLEMENTATION
from rules.sharding import shard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.release.hugging_face_model import HuggingFaceModel
    from retire_model.probe.reading import ProbeReading

EMBEDDING = "embed_tokens"
STAGES = "pipeline-stages"
SUBJECTS = (
    "tensor-parallel-plan",
    "pipeline-parallel-plan",
    "conv1d",
    "attention-interface",
    "classes",
    "output-head",
    "sharding",
    STAGES,
)
"""What both readings say something of."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Both readings say something, and not the same: a fault of ours."""

    about: str
    """One of `SUBJECTS`."""
    static: str
    dynamic: str


def compare(model: HuggingFaceModel, reading: ProbeReading) -> tuple[Disagreement, ...]:
    """Every disagreement between the two readings of one architecture.

    Where the checkpoint names the language model, reading says nothing of it, and nothing of it is compared.
    """
    whole = (*_classes(model, reading), *_conv1d(model, reading), *_head(model, reading))
    if not model.plan_readable:
        return whole
    return (
        *_tensor_parallel_plan(model, reading),
        *_pipeline_parallel_plan(model, reading),
        *_attention(model, reading),
        *_sharding(model, reading),
        *whole,
    )


def compare_stages(backend: bool | None, reading: ProbeReading) -> tuple[Disagreement, ...]:
    """Whether a model that is said to run in pipeline stages does."""
    if not backend or reading.staged is None or reading.staged.agrees:
        return ()
    return (Disagreement(STAGES, "the backend can run it in stages", reading.staged.told),)


def _tensor_parallel_plan(model: HuggingFaceModel, reading: ProbeReading) -> Iterator[Disagreement]:
    static = {e.pattern: e.style for e in model.tensor_parallel_plan.entries} if model.tensor_parallel_plan else {}
    dynamic = dict(reading.tensor_parallel_plan)
    if EMBEDDING not in static:
        # Transformers itself adds the embedding to the plans of instances: where it is tied in 5.19, always in 5.24.
        # The class's plan, which is what is read, does not have it.
        dynamic.pop(EMBEDDING, None)
    if static != dynamic:
        yield _of_items("tensor-parallel-plan", _pairs(static), _pairs(dynamic))


def _pairs(plan: dict[str, str]) -> list[str]:
    return [f"{pattern}: {style}" for pattern, style in plan.items()]


def _pipeline_parallel_plan(model: HuggingFaceModel, reading: ProbeReading) -> Iterator[Disagreement]:
    plan = model.pipeline_parallel_plan
    static = tuple(entry.pattern for entry in plan.entries) if plan is not None else ()
    if static != reading.pipeline_parallel_plan:
        yield _of_items("pipeline-parallel-plan", static, reading.pipeline_parallel_plan)


def _of_items(about: str, static: Iterable[str], dynamic: Iterable[str]) -> Disagreement:
    """Only what the one has and the other has not; the order where that is all."""
    static, dynamic = list(static), list(dynamic)
    mine, theirs = ([i for i in a if i not in b] for a, b in ((static, dynamic), (dynamic, static)))
    if not mine and not theirs:
        mine, theirs = static, dynamic
    return Disagreement(about, ", ".join(mine) or "nothing more", ", ".join(theirs) or "nothing more")


def _conv1d(model: HuggingFaceModel, reading: ProbeReading) -> Iterator[Disagreement]:
    """A reading lists every branch, a build takes one: what is built has to be read, and some of what is read built."""
    read = {(layer.owner, layer.attribute) for layer in model.conv1d}
    built = reading.transposed_linears
    if not built <= read or bool(built) != bool(read):
        yield Disagreement("conv1d", _qualified(read), _qualified(built))


def _qualified(found: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{owner}.{name}" for owner, name in sorted(found)) or "none"


def _attention(model: HuggingFaceModel, reading: ProbeReading) -> Iterator[Disagreement]:
    about = "attention-interface"
    refuses = [i.dictionary for i in model.implementation_lookups if ENGINE_IMPLEMENTATION not in i.known]
    if bool(refuses) != (reading.attention_error is not None):
        static = f"{', '.join(refuses)} knows only some implementations" if refuses else "built with any implementation"
        yield Disagreement(about, static, reading.attention_error or "built with any implementation")
    if reading.attention_error is not None:
        return
    dispatch = {module.name for module in model.attention if module.dispatches}
    calls = {dispatcher.class_name for dispatcher in reading.attention}
    for name in sorted(calls - dispatch):
        yield Disagreement(about, f"{name} does not dispatch", "it called the interface")
    for name in sorted(dispatch & reading.ran - calls):
        yield Disagreement(about, f"{name} dispatches", "it ran and did not call the interface")


def _sharding(model: HuggingFaceModel, reading: ProbeReading) -> Iterator[Disagreement]:
    """What the plan alone makes of two ranks: the probe has no fusers."""
    if reading.sharded is None:
        return
    problems = shard(model, fusers=()).problems
    if bool(problems) == reading.sharded.agrees:
        static = problems[0].message if problems else "the plan shards it without a gap"
        yield Disagreement("sharding", static, reading.sharded.told)


def _classes(model: HuggingFaceModel, reading: ProbeReading) -> Iterator[Disagreement]:
    for what, static, dynamic in (
        ("base class", model.base_class, reading.base_class),
        ("configuration", model.configuration_class, reading.configuration_class),
    ):
        if static != dynamic:
            yield Disagreement("classes", f"{what} {static}", dynamic)
    if model.plan_readable and model.mixture_of_experts != reading.mixture_of_experts:
        told = ("no mixture of experts", "a mixture of experts")
        yield Disagreement("classes", told[model.mixture_of_experts], told[reading.mixture_of_experts])


def _head(model: HuggingFaceModel, reading: ProbeReading) -> Iterator[Disagreement]:
    """Where reading could not tell, or the class does not say which module it is, there is nothing to compare."""
    head, read = reading.head, model.output_head
    if head is None or read.projection is None:
        return
    for what, static, dynamic in (
        ("projection", read.projection, head.projection),
        ("bias", read.bias, head.bias),
        ("tied", model.tied_embeddings, head.tied),
    ):
        if static is not None and static != dynamic:
            yield Disagreement("output-head", f"{what} {static}", str(dynamic))
