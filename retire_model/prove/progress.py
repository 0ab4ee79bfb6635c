"""Tells of each case as it ends: a line on standard error, and on a terminal a bar below the lines."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from retire_model.messages import say
from retire_model.reports.plain_text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retire_model.prove.results import Result


@contextmanager
def telling(total: int) -> Iterator[Callable[[Result], None]]:
    """Call what it gives for each result."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("cases", total=total)
        done = 0

        def tell(result: Result) -> None:
            nonlocal done
            done += 1
            line = visible(f"{done} of {total}: {told(result)}")
            if console.is_terminal:
                progress.console.print(line, markup=False, highlight=False, soft_wrap=True)
            else:
                say(line)
            progress.advance(task)

        yield tell


def told(result: Result) -> str:
    """One line."""
    case = f"{result.architecture}, Transformers {result.transformers}, tensor parallel {result.tensor_parallel}"
    tries = f", {result.attempts} attempts" if result.attempts > 1 else ""
    return f"{case}: {result.outcome} ({result.seconds:.0f} s{tries})"
