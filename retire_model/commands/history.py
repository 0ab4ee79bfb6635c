"""`retire-model history`."""

from __future__ import annotations

from typing import Any

import click

from retire_model.commands.options import (
    survey_output,
)


@click.command(short_help="Show how hand-written and backend models moved over releases.")
@click.argument("versions", metavar="vllm==FIRST..LAST")
@survey_output
def history(**options: Any) -> int:
    """Count hand-written modules, their lines, and the architectures on the backend, release by release."""
    from retire_model.survey.commands import show_history

    return show_history(**options)
