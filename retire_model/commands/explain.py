"""`retire-model explain`."""

from __future__ import annotations

import click


@click.command(short_help="Show the page of a rule.")
@click.argument("code", metavar="RULE")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "markdown"]),
    default="text",
    show_default=True,
    help="Laid out for a terminal, or the page as it stands in docs/rules. A pipe gets the latter.",
)
def explain(code: str, output_format: str) -> int:
    """Show what RULE looks at, why, and how to mend what it finds."""
    from retire_model.explain import explain_rule

    return explain_rule(code, output_format)
