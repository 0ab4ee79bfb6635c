"""Tells on a terminal how far a download has come."""

from __future__ import annotations

import sys

import click

MEGABYTE = 1_000_000


def show_progress(name: str, done: int, total: int | None) -> None:
    """Rewrite one line of standard error; nothing where that is no terminal."""
    if not sys.stderr.isatty():
        return
    amount = f"{done / MEGABYTE:.1f} MB" if total is None else f"{done / MEGABYTE:.1f} of {total / MEGABYTE:.1f} MB"
    ended = total is not None and done >= total
    click.echo(f"\r{name}: {amount}\x1b[K", err=True, nl=ended)


def show_step(name: str) -> None:
    """Rewrite one line of standard error with what is being worked on; nothing where that is no terminal."""
    if sys.stderr.isatty():
        click.echo(f"\r{name}\x1b[K", err=True, nl=False)
