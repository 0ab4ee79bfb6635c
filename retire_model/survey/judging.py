"""Judges all models of a tree, spread over the processor's cores where the system can fork."""

from __future__ import annotations

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from analyzer.errors import EnvironmentProblem, RetireModelError
from analyzer.source.source_scan import python_paths
from analyzer.uses.references import references_from
from rules.assessment import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from analyzer.engine.model_names import BespokeModel
    from analyzer.uses.reference import Reference
    from rules.assessment import Assessment, Assessor

MOST_KEPT = 1_000_000
"""Bytes of source in each tree whose syntax trees one process keeps: some 30 MB."""
SMALLEST_ROUND = 4
"""Models that a process takes at a time at the end. The first rounds are long: neighbours by name often share files."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A model that was judged; the syntax trees of its classes are given back."""

    assessment: Assessment


@dataclass(frozen=True, slots=True)
class Unread:
    """A model that could not be read."""

    model: BespokeModel
    problem: str


Outcome = Judged | Unread
Task = TypeVar("Task")
Result = TypeVar("Result")
References = dict[str, tuple["Reference", ...]]


@dataclass(frozen=True, slots=True)
class JudgedTree:
    """What became of each model, and what was found to need each module."""

    outcomes: tuple[Outcome, ...]
    references: References


def judge_all(assessor: Assessor, models: Sequence[BespokeModel], helpers: Iterable[str] = ()) -> JudgedTree:
    """Judge each of `models`, and find what needs their modules and `helpers`, which are modules without an entry.

    Raises the errors of searching the tree; a model's own are its outcome.
    """
    _warm(assessor)
    folder = assessor.engine.root / PACKAGE
    files = [f"{PACKAGE}/{file}" for file in python_paths(folder)]
    names = sorted({*helpers, *(model.module for model in models)})
    ordered = sorted(models, key=lambda model: model.module)
    with _Processes(assessor) as processes:
        parts = [(files[start :: processes.count], names) for start in range(processes.count)]
        found = _by_subject(names, processes.each(_search, parts))
        rounds = _rounds(ordered, processes.count)
        tasks = [(r, {model.module: found[model.module] for model in r}) for r in rounds]
        outcomes = dict(
            zip((m.module for m in ordered), (o for r in processes.each(_judge, tasks) for o in r), strict=True)
        )
    return JudgedTree(tuple(outcomes[model.module] for model in models), found)


def _rounds(models: Sequence[BespokeModel], processes: int) -> Iterator[tuple[BespokeModel, ...]]:
    """Each about half of what is left for one of the processes, so that all end at the same time."""
    start = 0
    while start < len(models):
        size = max(SMALLEST_ROUND, (len(models) - start) // (2 * processes))
        yield tuple(models[start : start + size])
        start += size


def _warm(assessor: Assessor) -> None:
    """Read what all processes need before they part."""
    for source in assessor.sources:
        source.names()
        source.auto_mapping("")
    assessor.sub_models.names  # noqa: B018 - read when it is first asked for


def _by_subject(names: Iterable[str], parts: Iterable[Sequence[Reference]]) -> References:
    found: dict[str, list[Reference]] = {name: [] for name in names}
    for reference in (reference for part in parts for reference in part):
        found[reference.subject].append(reference)
    return {name: tuple(sorted(references)) for name, references in found.items()}


class _Processes:
    """As many processes as there are cores, each with the assessor as it was at the fork."""

    def __init__(self, assessor: Assessor) -> None:
        self.count = _cores()
        _HERE.append(assessor)
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> _Processes:
        if self.count > 1:
            context = multiprocessing.get_context("fork")
            self._pool = ProcessPoolExecutor(self.count, mp_context=context, initializer=_leave_interrupts)
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        _HERE.clear()
        if isinstance(error, BrokenProcessPool):
            raise EnvironmentProblem("a process that judged models was ended", "See that there is enough memory.")

    def each(self, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterable[Result]:
        """What `work` makes of each task, in order."""
        return self._pool.map(work, tasks) if self._pool is not None else map(work, tasks)


def _leave_interrupts() -> None:
    """An interrupt from the keyboard reaches all processes: the first of them deals with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


_HERE: list[Assessor] = []
"""What a forked process finds: an assessor cannot be sent to one."""


def _cores() -> int:
    """How many processes pay; one where the system has no fork."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _search(task: tuple[list[str], list[str]]) -> tuple[Reference, ...]:
    files, names = task
    return references_from(_HERE[0].engine.files, files, names)


def _judge(task: tuple[tuple[BespokeModel, ...], References]) -> list[Outcome]:
    models, references = task
    assessor = _HERE[0]
    assessor.know_references(references)
    return [_outcome(assessor, model) for model in models]


def _outcome(assessor: Assessor, model: BespokeModel) -> Outcome:
    try:
        assessment = assessor.assess(model)
    except RetireModelError as error:
        return Unread(model, error.problem)
    finally:
        assessor.forget(MOST_KEPT)
    module = assessment.module
    light = replace(module, classes=()) if module is not None else None
    return Judged(replace(assessment, module=light))
