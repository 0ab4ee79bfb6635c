"""`retire-model rules`."""

from __future__ import annotations

import click


@click.command(short_help="List the rules.")
def rules() -> int:
    """List every rule with the capability it judges, every check of `lint`, and what `review` asks."""
    from retire_model.explain import list_rules

    return list_rules()
