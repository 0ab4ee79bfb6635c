"""Tells on a terminal how far a download has come."""

from __future__ import annotations

from retire_model.messages import on_terminal, say
from retire_model.reports.plain_text import visible

MEGABYTE = 1_000_000


class DownloadProgress:
    """Rewrites one line of standard error for each megabyte that has come; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._shown = ""

    def __call__(self, name: str, done: int, total: int | None) -> None:
        """Tell of `done` bytes of the file `name`; called for every few kilobytes."""
        of = "" if total is None else f" of {total / MEGABYTE:.0f}"
        line = f"{name}: {done / MEGABYTE:.0f}{of} MB"
        ended = total is not None and done >= total
        if on_terminal() and (ended or line != self._shown):
            say(f"\r{visible(line)}\x1b[K", newline=ended)
        self._shown = line


def end_steps() -> None:
    """Take the line of `show_step` away, so that the report begins at the left."""
    if on_terminal():
        say("\r\x1b[K", newline=False)


def show_step(name: str) -> None:
    """Rewrite one line of standard error with what is being worked on; nothing where that is no terminal."""
    if on_terminal():
        say(f"\r{visible(name)}\x1b[K", newline=False)
