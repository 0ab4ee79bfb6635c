"""`retire-model prove`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from analyzer.errors import EnvironmentProblem, Interrupted, WrongUse
from retire_model.messages import counted, say
from retire_model.prove.cases import CaseOptions
from retire_model.prove.kept import KeptResults
from retire_model.prove.means import Means
from retire_model.prove.planning import Wanted, plan_cases
from retire_model.prove.progress import telling
from retire_model.prove.pythons import chosen_pythons
from retire_model.prove.report import show
from retire_model.prove.results import exit_status
from retire_model.prove.running import run_cases
from retire_model.smoke.ending import ended_in_order
from retire_model.sources.cache_layout import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retire_model.prove.cases import Case
    from retire_model.prove.local import LocalWorkers
    from retire_model.prove.on_ray import RayWorkers
    from retire_model.prove.results import Result

DEFAULT_RANKS = (1, 2)


def prove_models(
    models: Sequence[str],
    every: bool,
    releases: Sequence[str],
    engine_pythons: Sequence[str],
    tensor_parallel: Sequence[int],
    matrix: str | None,
    jobs: int | None,
    ray: str | None,
    case_seconds: int,
    retries: int,
    results: Path | None,
    again: bool,
    output_format: str,
    **shared: str | int | None,
) -> int:
    """Run the cases whose results are not kept yet, print all of them, and return the exit status.

    Raises `WrongUse` for options that do not go together, and the errors of reading and running.
    """
    if bool(models) == every:
        raise WrongUse("prove takes models, or else --eligible", "Name the models, or have all that can go run.")
    wanted = Wanted(models, tensor_parallel or DEFAULT_RANKS, CaseOptions(**shared))  # type: ignore[arg-type]
    if matrix is not None:
        if engine_pythons or ray is not None:
            raise WrongUse("--matrix runs nothing", "Leave --engine-python and --ray out: they belong to the jobs.")
        from retire_model.prove.matrix import github_matrix

        click.echo(github_matrix(models, releases, wanted.tensor_parallel, wanted.options.before))
        return 0
    if ray is not None and jobs is not None:
        raise WrongUse("--jobs is of this machine, --ray of a cluster", "A cluster shares out its own CPUs and GPUs.")
    pythons = chosen_pythons(engine_pythons, releases)
    cases = plan_cases(wanted, pythons)
    if not cases:
        raise EnvironmentProblem("no model can be retired", "`retire-model survey` says what stands in the way.")
    kept = KeptResults(results or cache_folder() / "prove" / "results.jsonl")
    found = {} if again else {key: result for key, result in kept.read().items() if result.is_final}
    missing = [case for case in cases if case.key not in found]
    if missing:
        means = Means(jobs, ray, case_seconds, wanted.options.device)
        found |= _run(missing, means.workers(missing, pythons), retries, kept)
    shown = [found[case.key] for case in cases]
    show(shown, len(cases) - len(missing), kept.file, output_format)
    return exit_status(shown)


def _run(
    missing: Sequence[Case], workers: LocalWorkers | RayWorkers, retries: int, kept: KeptResults
) -> dict[str, Result]:
    """Run them; each result is in the file before the next is looked at. Raises `Interrupted`."""
    found: dict[str, Result] = {}
    try:
        with ended_in_order(), workers, telling(len(missing)) as tell:

            def done(result: Result) -> None:
                kept.add(result)
                found[result.key] = result
                tell(result)

            try:
                run_cases(missing, workers, retries, done)
            except KeyboardInterrupt:
                say("interrupted: ending what still runs")
                raise
    except KeyboardInterrupt as error:
        problem = f"interrupted with {len(found)} of {counted(len(missing), 'case')} done"
        raise Interrupted(problem, f"Results are kept in {kept.file}: the same command goes on from there.") from error
    return found
