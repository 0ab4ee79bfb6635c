"""`retire-model prove`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from retire_model.commands.options import (
    MOST_SECONDS,
    run_options,
)

MOST_JOBS = 1000


@click.command(short_help="Smoke runs of many models, ranks and releases.")
@click.argument("models", nargs=-1, metavar="[MODEL…]")
@click.option("--eligible", "every", is_flag=True, help="All models that `survey` calls eligible, the best first.")
@run_options
@click.option(
    "--engine-python",
    "engine_pythons",
    multiple=True,
    metavar="PATH",
    help="A Python that has the engine and one Transformers release; one for each release. Repeatable. "
    "Default: the one that runs this.",
)
@click.option(
    "--transformers",
    "releases",
    multiple=True,
    metavar="VERSION",
    help="Release to run with, which one of the Pythons has. Repeatable. Default: all that they have.",
)
@click.option(
    "--tensor-parallel",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="Ranks; 1 leaves the check out. Repeatable. Default: 1 and 2.",
)
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Cases at a time. Default: as the cores allow.")
@click.option("--ray", metavar="ADDRESS", help="Run the cases on this Ray cluster: HOST:PORT, or `auto`.")
@click.option(
    "--case-seconds",
    type=click.IntRange(1, MOST_SECONDS),
    default=1800,
    show_default=True,
    help="How long one case may take.",
)
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="How often a case is tried again whose run was ended from outside.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where results are kept and looked up. Default: prove/results.jsonl in the cache.",
)
@click.option("--again", is_flag=True, help="Run cases again whose results are kept.")
@click.option("--matrix", type=click.Choice(["github"]), help="Run nothing: print a matrix for a CI job.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="For people, machines, or a pull request.",
)
def prove(**options: Any) -> int:
    """Run the smoke run of MODEL…, or of all eligible models, for each number of ranks and each Transformers release.

    Results are kept as they come: the same command goes on where an earlier one ended. A case whose model, trees,
    release or options have changed is run again, and so is one that could not be run.

    Exit status 0 if every case passed, 1 if one failed, 2 if nothing could be told of one.
    """
    from retire_model.prove.command import prove_models

    return prove_models(**options)
