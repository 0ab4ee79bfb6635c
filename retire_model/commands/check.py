"""`retire-model check`."""

from __future__ import annotations

from typing import Any

import click

from retire_model.commands.options import (
    MOST_SECONDS,
    downstream_option,
    engine_options,
    format_option,
)


@click.command(short_help="Judge models without planning anything.")
@click.argument("models", nargs=-1, required=True, metavar="MODEL…")
@engine_options
@click.option(
    "--since",
    is_flag=True,
    help="Walk the releases that the engine admits; name the first that will do, and what stands in the way.",
)
@click.option("--select", multiple=True, metavar="RULE", help="Ask this rule alone. Repeatable.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave this rule out. Repeatable.")
@downstream_option
@click.option(
    "--probe",
    is_flag=True,
    help="Build and run each Hugging Face class small, in a process of its own, and compare. Imports its code.",
)
@click.option(
    "--probe-python",
    metavar="PATH",
    help="The Python with torch and Transformers that --probe runs. Default: the one that runs this.",
)
@click.option(
    "--probe-seconds",
    type=click.IntRange(1, MOST_SECONDS),
    metavar="SECONDS",
    help="How long one class may take. Default: 120.",
)
@format_option
def check(**options: Any) -> int:
    """Judge MODEL… against one or several Transformers releases, side by side. Writes nothing.

    Without --transformers, against the floor and the newest of the range that the engine declares.

    Exit status 0 if each has a modeling file that can be retired without a loss, for the trees of --downstream as well,
    and what was read is what --probe finds; 1 otherwise.
    """
    from retire_model.check import check_models

    return check_models(**options)
