"""`retire-model retire`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.errors import RetireModelError
from retire_model.commands.options import (
    downstream_option,
    engine_options,
    engine_python_option,
    format_option,
    stage_option,
)


@click.command(short_help="Judge, plan and (with --write) retire. The word may be left out.")
@click.argument("models", nargs=-1, required=True, metavar="MODEL…")
@engine_options
@click.option("--write", is_flag=True, help="Apply the plan to the tree.")
@click.option(
    "--accept",
    multiple=True,
    metavar="CAPABILITY",
    help="A loss to go on in spite of, such as pipeline-parallel; `all` for every loss. Repeatable.",
)
@click.option("--remove", is_flag=True, help="Give the model up: no backend is to serve it.")
@click.option(
    "--last-version",
    metavar="VERSION",
    help="With --remove, the last release that had the model. Default: the tree's own version, or for a development "
    "version the release before it.",
)
@click.option("--plugin", metavar="URL", help="Give the model to the plugin at this https address.")
@click.option("--family", is_flag=True, help="Take along what shares the module, and the modules built on it.")
@click.option(
    "--inline-shared",
    is_flag=True,
    help="Where one other module alone uses code of a retired one, move that code there.",
)
@click.option("--with-tests", is_flag=True, help="Add a test of each migrated architecture to the engine's own tests.")
@downstream_option
@click.option(
    "--allow-missing",
    multiple=True,
    type=click.Choice(["docs"]),
    help="Go on where the docs page or its tables are missing.",
)
@click.option(
    "--copy-to",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Where --write puts its working copy of a release. Default: ./vllm-VERSION.",
)
@stage_option
@click.option("--smoke", is_flag=True, help="After --write run the models in the engine, and undo it if a check fails.")
@click.option("--keep", is_flag=True, help="With --smoke, keep what was written whatever the checks say.")
@engine_python_option
@format_option
def retire(**options: Any) -> int:
    """Judge MODEL…, show the plan and its difference, and apply it with --write.

    Without --transformers, against the installed release if the engine's range admits it, else its floor.
    """
    from retire_model.command_words import hint_at_command, refuse_command_word
    from retire_model.retire import retire_models

    group = click.get_current_context().find_root().command
    commands = group.commands if isinstance(group, click.Group) else {}
    refuse_command_word(options["models"], commands)
    try:
        return retire_models(**options)
    except RetireModelError as error:
        hint_at_command(error, options["models"][0], commands)
        raise
