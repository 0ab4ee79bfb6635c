"""`retire-model review`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from retire_model.commands.options import (
    git_tree_option,
    transformers_option,
)


@click.command(short_help="Say what a change forgets, loses without a word, or need not add.")
@git_tree_option
@click.option("--base", required=True, metavar="REF", help="What the change is to be merged into: origin/main.")
@click.option("--head", default="HEAD", show_default=True, metavar="REF", help="The last commit of the change.")
@transformers_option
@click.option(
    "--description",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="What the author says of the change besides the commits' messages, such as the text of a pull request.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["markdown", "github-review", "github", "rdjsonl", "sarif"]),
    default="markdown",
    show_default=True,
    help="A summary, the body for GitHub's review API, annotations of a job, or for reviewdog and code scanning.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write. In a job of GitHub's use it for all but --format github: a log is read for commands.",
)
@click.option(
    "--fail-level",
    type=click.Choice(["error", "warning", "never"]),
    default="warning",
    show_default=True,
    help="From which remarks on the exit status is 1.",
)
def review(**options: Any) -> int:
    """Review what leads from --base to --head: the work of the pull-request bot.

    Both trees are read from git's objects: nothing is checked out, imported or run.

    Exit status 1 where there is something to remark, as far as --fail-level says.
    """
    from retire_model.review.command import review_change

    return review_change(**options)
