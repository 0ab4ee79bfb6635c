"""The runner without an engine: torch and Transformers alone do what the engine's backend does."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import WrongUse
from retire_model.smoke.checkpoints import CheckpointMaker
from retire_model.smoke.outcomes import CheckResult, Ran, RunOutcome
from retire_model.smoke.purposes import Purpose
from retire_model.smoke.report import RunnerKind, SmokeReport
from retire_model.smoke.standing import Sound, Unknown, decided, numbers
from retire_model.smoke.subjects import GENERATES, transformers_of
from retire_model.smoke.tolerances import tolerance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retire_model.smoke.bench import Bench
    from retire_model.smoke.checkpoints import Checkpoints, Variant
    from retire_model.smoke.engine_python import EnginePython
    from retire_model.smoke.request import Request
    from retire_model.smoke.settings import Settings
    from retire_model.smoke.standing import Standing
    from retire_model.smoke.steps import Steps

WAYS = 2
"""Ranks or stages: what can be shared out among two shows what a plan is worth."""


def refuse_engine_matters(request: Request) -> None:
    """Raise `WrongUse` for what is not emulated: other numbers of ranks or stages, weights that the engine makes up."""
    if request.load_format == "dummy":
        raise WrongUse("--load-format dummy needs the engine", "Without one there is nothing but numbers to compare.")
    if max(request.tensor_parallel, request.pipeline_parallel) > WAYS:
        raise WrongUse(
            f"without an engine a model is shared out among {WAYS}, no more",
            "Leave --tensor-parallel and --pipeline-parallel at 2, or give 1 to leave the check out.",
        )


def find_emulated(models: Sequence[str], python: EnginePython) -> tuple[str, ...]:
    """The architectures that names of architectures and of model types mean. Raises `WrongUse`."""
    source = transformers_of(python)
    by_type = source.auto_mapping(GENERATES)
    found = []
    for model in models:
        architecture = model if model in by_type.values() else by_type.get(model)
        if architecture is None:
            raise WrongUse(
                f"Transformers {source.label} has no language model {model!r}",
                "Without an engine a model is named by architecture or Hugging Face model type.",
            )
        found.append(architecture)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Emulation:
    """The runs of one architecture."""

    architecture: str
    settings: Settings
    made: Checkpoints
    bench: Bench
    told: Steps

    def checks(self) -> Iterator[CheckResult]:
        """The plain forward is the control of ranks and stages."""
        plain, first = self._run(Purpose.PLAIN, self.made.first), self.made.first
        control = self._standing(plain)
        name = "base model and a head of its own, against the head class"
        # Transformers' own class is the control: its numbers were made in the same process.
        yield CheckResult(name, decided(control, Sound(), lambda: control), (plain.log,))
        if self.made.marked is not None:
            marked = self._run(Purpose.PLAIN, self.made.marked)
            outcome = decided(self._standing(marked), control, lambda: control)
            yield CheckResult(f"values that show: {self.made.marked.told}", outcome, (marked.log,))
        ways = {Purpose.TENSOR: self.settings.tensor_parallel, Purpose.PIPELINE: self.settings.pipeline_parallel}
        for purpose in (purpose for purpose, count in ways.items() if count > 1):
            shared = self._run(purpose, first)
            outcome = decided(self._standing(shared), control, lambda: control)
            yield CheckResult(f"{purpose} {WAYS}", outcome, (shared.log,))

    def _run(self, purpose: Purpose, variant: Variant) -> RunOutcome:
        self.told.tell(f"{self.architecture}: emulated, {purpose}, {variant.name}")
        job = {
            "kind": "emulation",
            "checkpoint": str(variant.folder),
            "reference": str(variant.reference),
            "dtype": self.settings.dtype,
            "device": self.settings.device,
            "way": purpose,
            "environment": {},
        }
        name = f"{self.architecture}-emulated-{purpose}-{variant.name}"
        return self.bench.plain().run(job, name, self.settings.seconds)

    def _standing(self, outcome: RunOutcome) -> Standing:
        if isinstance(outcome, Ran) and "no_plan" in outcome.told:
            return Unknown(outcome.told["no_plan"])
        return numbers(outcome, tolerance(self.settings.dtype))


def emulate(architecture: str, settings: Settings, bench: Bench, told: Steps) -> SmokeReport:
    """The report of one architecture. Raises `EnvironmentProblem` where no checkpoint can be made."""
    begin = time.monotonic()
    told.tell(f"{architecture}: making checkpoints")
    made = CheckpointMaker(bench.plain(), settings, bench.folder).make(architecture, adapter=False)
    results = tuple(Emulation(architecture, settings, made, bench, told).checks())
    packages = {"torch": bench.python.torch, "Transformers": bench.python.transformers}
    return SmokeReport(
        architecture=architecture,
        runner=RunnerKind.TRANSFORMERS,
        settings=settings,
        tolerance=tolerance(settings.dtype),
        versions=tuple((name, str(package.version)) for name, package in packages.items()),
        before="the head class of Transformers itself",
        after="the base model, shared out and split as its plans say, with a head of its own",
        not_laid_over=(),
        results=results,
        measurements=(),
        logs=bench.logs,
        seconds=time.monotonic() - begin,
    )
