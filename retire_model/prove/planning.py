"""From what is asked for to the cases: models, times releases, times ranks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.engine.engine_tree import EngineTree, open_engine_tree
from retire_model.prove.cases import Case, CaseOptions, arguments_of
from retire_model.prove.keys import key_of_case, key_of_trees
from retire_model.prove.models import eligible, named
from retire_model.prove.pythons import release_of
from retire_model.smoke.emulated import find_emulated
from retire_model.smoke.report import RunnerKind
from retire_model.smoke.request import Request
from retire_model.smoke.sides import sides_of
from retire_model.smoke.subjects import root_of_tree, transformers_of
from retire_model.smoke.versions import refuse_other_version
from retire_model.sources.cache_layout import CacheLayout, cache_folder
from retire_model.sources.engine_argument import EngineRelease, parse_engine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.smoke.engine_python import EnginePython


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases are asked for."""

    models: Sequence[str]
    """Empty where all that are eligible are meant."""
    tensor_parallel: Sequence[int]
    options: CaseOptions


def plan_cases(wanted: Wanted, pythons: Sequence[EnginePython]) -> list[Case]:
    """All cases, those of one model side by side.

    Raises `WrongUse` and `EnvironmentProblem` where one cannot be run, and the errors of reading.
    """
    planned = [case for python in pythons for case in _cases_with(python, wanted)]
    order = {name: number for number, name in enumerate(dict.fromkeys(case.architecture for case in planned))}
    return sorted(planned, key=lambda case: order[case.architecture])


def _cases_with(python: EnginePython, wanted: Wanted) -> list[Case]:
    options = wanted.options
    runner = Request(str(python.program), runner=options.runner).chosen_runner(python)
    trees = {} if runner is RunnerKind.TRANSFORMERS else _trees(python, options)
    names = _architectures(python, wanted, trees)
    contents = key_of_trees(python, [tree.root for tree in trees.values()])
    values = {name: _as_written(options, name, tree) for name, tree in trees.items()}
    cases = []
    for name in names:
        for ranks in dict.fromkeys(wanted.tensor_parallel):
            key = key_of_case(contents, (name, str(ranks), *options.words(), *trees))
            words = arguments_of(name, python.program, ranks, values, options)
            workers = max(ranks, options.pipeline_parallel)
            cases.append(Case(name, release_of(python), ranks, words, workers, key))
    return cases


def _trees(python: EnginePython, options: CaseOptions) -> dict[str, EngineTree]:
    """The trees of before and, where there is one, of after, by their options; of the version that is installed."""
    given = {"--before": options.before} | ({"--after": options.after} if options.after is not None else {})
    trees = {name: open_engine_tree(root_of_tree(value, name, python)) for name, value in given.items()}
    for tree in trees.values():
        if python.engine is not None:
            refuse_other_version(tree, python.engine)
    return trees


def _architectures(python: EnginePython, wanted: Wanted, trees: dict[str, EngineTree]) -> tuple[str, ...]:
    before, after = trees.get("--before"), trees.get("--after")
    if before is None and wanted.models:
        return find_emulated(wanted.models, python)
    before = before or open_engine_tree(root_of_tree(wanted.options.before, "--before", python))
    source = transformers_of(python)
    if not wanted.models:
        return eligible(before, source, CacheLayout(cache_folder()).surveys)
    names = named(wanted.models, before, source)
    for name in names:
        sides_of(name, before, after)
    return names


def _as_written(options: CaseOptions, name: str, tree: EngineTree) -> str:
    """The value of an option that names the tree: a release as it was written, a folder as others find it, too."""
    given = options.before if name == "--before" else options.after
    if given is not None and isinstance(parse_engine(given), EngineRelease):
        return given
    return str(Path(tree.root).resolve())
