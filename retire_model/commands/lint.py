"""`retire-model lint`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from retire_model.commands.options import (
    engine_option,
)


@click.command(short_help="Check that registry, docs, tests and CI paths of a tree agree.")
@engine_option
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Old faults that are known and not reported again.",
)
@click.option("--write-baseline", "rewrite_baseline", is_flag=True, help="Write the faults found to --baseline FILE.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="For people, machines, or GitHub's actions.",
)
def lint(**options: Any) -> int:
    """Check that the parts of an engine tree agree: registry, modules, imports, tests, docs and CI paths.

    Reads the tree alone: no Transformers release, no network. A fault is silenced where it stands by a comment
    `# retire-model: ignore[CHECK] reason`, in Markdown `<!-- retire-model: ignore[CHECK] reason -->`.

    Exit status 0 if there is no fault, 1 otherwise.
    """
    from retire_model.lint import lint_tree

    return lint_tree(**options)
