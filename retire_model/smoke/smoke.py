"""`retire-model smoke`: does the retired model still work?"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retire_model.smoke.bench import Bench
from retire_model.smoke.checkpoints import CheckpointMaker
from retire_model.smoke.checks import checks
from retire_model.smoke.emulated import emulate, find_emulated, refuse_engine_matters
from retire_model.smoke.ending import ended_in_order
from retire_model.smoke.engine_python import EnginePython, ask
from retire_model.smoke.explanations import explained
from retire_model.smoke.measuring import measure
from retire_model.smoke.outcomes import CheckResult
from retire_model.smoke.output import show
from retire_model.smoke.report import RunnerKind, SmokeReport, exit_status
from retire_model.smoke.run_folder import logs_folder, run_folder
from retire_model.smoke.runs import Runs
from retire_model.smoke.steps import Steps, steps
from retire_model.smoke.subjects import Subject, find_subjects
from retire_model.smoke.tolerances import tolerance
from retire_model.smoke.versions import refuse_other_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retire_model.smoke.request import Request
    from retire_model.smoke.settings import Settings


def smoke_models(
    models: Sequence[str], before: str | None, after: str | None, request: Request, output_format: str
) -> int:
    """Run `models` before and after, print the reports, and return the exit status.

    Raises `WrongUse` and `EnvironmentProblem` where nothing can be run.
    """
    request.check()
    python = ask(request.engine_python)
    runner = request.chosen_runner(python)
    if runner is RunnerKind.TRANSFORMERS:
        refuse_engine_matters(request)
        names = request.those_given(find_emulated(models, python))
        with workplace(names, request, python, runner) as place:
            reports = tuple(emulate(name, place.settings, place.bench, place.told) for name in names)
    else:
        subjects = {subject.architecture: subject for subject in find_subjects(models, before, after, python)}
        given = request.those_given(tuple(subjects))
        reports = smoke([subjects[name] for name in given], request, python)
    show(reports, output_format)
    return exit_status(reports)


def smoke(subjects: Sequence[Subject], request: Request, python: EnginePython) -> tuple[SmokeReport, ...]:
    """The reports of all subjects, by the engine. At the end nothing runs any more and nothing but the logs is left.

    Raises `EnvironmentProblem` where nothing can be run.
    """
    if python.engine is not None:
        for side in (side for subject in subjects for side in subject.sides):
            refuse_other_version(side.tree, python.engine)
    with workplace([subject.architecture for subject in subjects], request, python, RunnerKind.VLLM) as place:
        return tuple(_one(subject, place.settings, place.bench, place.told) for subject in subjects)


@dataclass(frozen=True, slots=True)
class Workplace:
    """What all runs of one command share."""

    settings: Settings
    bench: Bench
    told: Steps


@contextmanager
def workplace(names: Sequence[str], request: Request, python: EnginePython, runner: RunnerKind) -> Iterator[Workplace]:
    """Open it, and at the end close all of it. Raises `EnvironmentProblem`."""
    logs = logs_folder("-".join(names)[:60], request.logs)
    with ended_in_order(), run_folder() as folder, steps() as told, Bench(python, folder, logs) as bench:
        told.tell("looking at the machine")
        settings = request.settings(bench.gpus(), python, runner)
        bench.device = settings.device
        yield Workplace(settings, bench, told)


def _one(subject: Subject, settings: Settings, bench: Bench, told: Steps) -> SmokeReport:
    begin = time.monotonic()
    maker = CheckpointMaker(bench.plain(), settings, bench.folder)
    told.tell(f"{subject.architecture}: making checkpoints")
    made = maker.make(subject.architecture, adapter=settings.checkpoint is None and settings.compares_numbers)
    runs = Runs(subject.architecture, settings, subject.sides, made, maker, bench.keeper_of, told.tell)
    results = tuple(explained(result, subject) for result in checks(runs))
    measured = measure(runs)
    if isinstance(measured, CheckResult):
        results, measured = (*results, measured), ()
    python, sides = bench.python, subject.sides
    versions = {"vLLM": python.engine, "torch": python.torch, "Transformers": python.transformers}
    left_out = dict.fromkeys(file for overlay in bench.overlays() for file in overlay.left_out)
    return SmokeReport(
        architecture=subject.architecture,
        runner=RunnerKind.VLLM,
        settings=settings,
        tolerance=tolerance(settings.dtype),
        versions=tuple((name, str(package.version)) for name, package in versions.items() if package is not None),
        before=sides.before.told if sides.before is not None else "on the backend already: Transformers alone",
        after=sides.after.told,
        not_laid_over=tuple(left_out),
        results=results,
        measurements=measured,
        logs=bench.logs,
        seconds=time.monotonic() - begin,
        assessment=subject.assessment,
    )
