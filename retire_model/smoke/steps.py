"""Tells what is being run, on a terminal, with a bar for each run."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress


@dataclass
class Steps:
    """One bar at a time: the step before is done when the next begins."""

    progress: Progress

    def tell(self, step: str) -> None:
        """The step that begins."""
        for task in self.progress.tasks:
            if not task.finished:
                self.progress.update(task.id, total=1, completed=1)
        self.progress.add_task(step, total=None)


@contextmanager
def steps() -> Iterator[Steps]:
    """The bars, on standard error where that is a terminal; they are gone at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield Steps(progress)
