"""`retire-model survey`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from retire_model.commands.options import (
    engine_options,
    survey_output,
)


@click.command(short_help="Judge all hand-written models, and rank them.")
@engine_options
@click.option(
    "--sort",
    type=click.Choice(["rank", "lines", "module", "verdict", "losses", "dependents", "age"]),
    default="rank",
    show_default=True,
    help="Order of the rows; `rank` is by lines saved for each capability lost, what can go first.",
)
@click.option(
    "--only",
    type=click.Choice(["eligible", "lossless", "with-losses", "unproven", "keep"]),
    help="Leave the other rows out.",
)
@click.option("--history", is_flag=True, help="Take ages from the releases in the cache, not from git.")
@click.option(
    "--baseline", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Keep the verdicts in FILE."
)
@click.option(
    "--diff", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Tell what changed since FILE."
)
@survey_output
def survey(**options: Any) -> int:
    """Judge every hand-written model of the tree, and say what to retire first, and what would unlock most.

    Lines saved are those of the modeling files, and of files in the models folder that nothing else imports: an
    estimate; `retire-model MODEL` has the plan. Without --transformers as `retire` has it.

    Exit status 0 if every model could be read, 1 otherwise.
    """
    from retire_model.survey.commands import survey_models

    return survey_models(**options)
