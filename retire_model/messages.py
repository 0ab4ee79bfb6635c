"""What is said on standard error."""

from __future__ import annotations

import click


def complain(problem: str, remedy: str = "") -> None:
    """Say what is wrong, and on the next line what to do about it."""
    click.echo(f"retire-model: {problem}", err=True)
    if remedy:
        click.echo(f"  {remedy}", err=True)
