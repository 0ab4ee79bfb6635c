"""`retire-model bot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from retire_model.commands.options import (
    git_tree_option,
    transformers_option,
)


@click.command(short_help="Post a review to a pull request, or answer a comment.")
@click.option(
    "--event",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="GITHUB_EVENT_PATH",
    required=True,
    metavar="FILE",
    help="The event to act on. Default: $GITHUB_EVENT_PATH, as in a job of GitHub's.",
)
@click.option(
    "--review",
    "given",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="What `review --format github-review` wrote in another job. Without it the review is made here.",
)
@git_tree_option
@transformers_option
@click.option(
    "--api-url", "api", metavar="URL", help="GitHub's API. Default: $GITHUB_API_URL, else https://api.github.com."
)
def bot(**options: Any) -> int:
    """Do what an event of GitHub's asks for: review a pull request, or answer `/retire-model MODEL…` in a comment.

    Needs GITHUB_TOKEN in the environment, and `pip install 'retire-model[bot]'`. What the bot posted before it edits
    or folds away. Comments count from people with write access alone, where `/retire-model review` has a pull request
    reviewed. Nothing of a pull request is checked out, imported or run; no pull request is opened.
    """
    from retire_model.bot.command import run_bot

    return run_bot(**options)
