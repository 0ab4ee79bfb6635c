"""`retire-model undo`."""

from __future__ import annotations

from typing import Any

import click

from retire_model.commands.options import (
    engine_option,
    stage_option,
)


@click.command(short_help="Take back the last change set that was written.")
@engine_option
@stage_option
def undo(**options: Any) -> int:
    """Take back the last change set that --write made in the tree, all or nothing, with or without git.

    What it takes is kept in the cache. Nothing is done where one of the files was changed since.
    """
    from retire_model.undo import undo_last_change

    return undo_last_change(**options)
