"""`retire-model new-model`."""

from __future__ import annotations

from typing import Any

import click

from retire_model.commands.options import (
    git_tree_option,
    transformers_option,
)


@click.command("new-model", short_help="Check that the modeling files a commit adds are needed.")
@git_tree_option
@click.option("--base", metavar="REF", help="The commit that the tree is compared with. Default: HEAD.")
@transformers_option
def new_model(**options: Any) -> int:
    """Judge each modeling file that the work tree has and the commit --base has not, as a commit hook does.

    No network: without --transformers, against the installed release or one in the cache, else by the registry alone.

    Exit status 1 for an architecture that the backend serves as well, or that was retired and comes back.
    """
    from retire_model.review.new_model import judge_new_models

    return judge_new_models(**options)
