"""What is said on standard error, and words that messages share."""

from __future__ import annotations

import shutil
import sys
import textwrap
from contextlib import suppress

import click

from retire_model.reports.plain_text import visible


def complain(problem: str, remedy: str = "") -> None:
    """Say what is wrong, and on the next line what to do about it; on a terminal long lines go on indented."""
    for line in visible(f"retire-model: {problem}").split("\n"):
        say(_fitted(line))
    if remedy:
        say(_fitted(visible(f"  {remedy}")))


def say(text: str, *, newline: bool = True) -> None:
    """Print `text`. Where standard error cannot be written there is nobody to tell, and the run goes on."""
    with suppress(OSError):
        click.echo(text, err=True, nl=newline)


def on_terminal() -> bool:
    """Whether somebody reads along."""
    return sys.stderr is not None and sys.stderr.isatty()


def _fitted(line: str) -> str:
    width = shutil.get_terminal_size().columns
    if len(line) <= width or not on_terminal():
        return line
    indent = " " * (2 + len(line) - len(line.lstrip()))
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def counted(number: int, thing: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
