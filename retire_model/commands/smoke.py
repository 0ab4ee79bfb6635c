"""`retire-model smoke`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from retire_model.commands.options import (
    engine_python_option,
    run_options,
)


@click.command(short_help="Run models in the engine, before and after.")
@click.argument("models", nargs=-1, required=True, metavar="MODEL…")
@run_options
@engine_python_option
@click.option(
    "--tensor-parallel",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="Ranks; 1 leaves the check out.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Of the comparison of speed and memory; 0 leaves it out.",
)
@click.option(
    "--size",
    type=click.Choice(["tiny", "full"]),
    default="tiny",
    show_default=True,
    help="Of the model; `full` has the dimensions of the class's own defaults.",
)
@click.option(
    "--load-format",
    type=click.Choice(["auto", "dummy"]),
    default="auto",
    show_default=True,
    help="`dummy` has the engine make weights up: for speed and memory.",
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="PATH",
    help="A real one, not a random one.",
)
@click.option(
    "--logs",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="PATH",
    help="Where logs are kept. Default: a folder of the cache, which keeps those of the last twenty runs.",
)
@click.option("--json", "output_format", flag_value="json", help="The report for machines.")
@click.option("--markdown", "output_format", flag_value="markdown", help="The report for a pull request.")
def smoke(**options: Any) -> int:
    """Run MODEL… in the engine itself before and after, on tiny random checkpoints, and compare.

    Loads and runs what it tests, each run in a process of its own with a time limit and a log.

    Exit status 0 if no check failed, 1 if one did, 2 if nothing could be run.
    """
    from retire_model.smoke.options import smoke_command

    return smoke_command(**options)
