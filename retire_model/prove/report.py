"""The results in the form that was asked for."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import click
from rich.text import Text

from retire_model.messages import counted
from retire_model.prove.results import VERSION, Result, Word, as_dictionary, exit_status
from retire_model.reports.layout import aligned, console, joined
from retire_model.survey.table import as_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

STYLES = {Word.PASSED: "green", Word.FAILED: "bold red", Word.INCONCLUSIVE: "magenta", Word.NOT_RUN: "magenta"}
COLUMNS = ("outcome", "architecture", "Transformers", "tensor parallel", "seconds", "why")


def text_report(results: Sequence[Result], kept: int, file: Path) -> Text:
    """A line a case, and what they come to; `kept` of them were in `file` before."""
    return joined(_lines(results, kept, file))


def show(results: Sequence[Result], kept: int, file: Path, output_format: str) -> None:
    """Print them: `text`, `json` or `markdown`."""
    match output_format:
        case "json":
            click.echo(json_report(results))
        case "markdown":
            click.echo(markdown_report(results))
        case _:
            console().print(text_report(results, kept, file))


def _lines(results: Sequence[Result], kept: int, file: Path) -> Iterator[Text]:
    rows = [[Text(heading, style="dim") for heading in COLUMNS]]
    for result in results:
        outcome, *others = cells(result)
        rows.append([Text(outcome, STYLES[result.outcome]), *map(Text, others)])
    yield from aligned(rows)
    yield Text(summary(results), style="bold")
    before = f"{counted(kept, 'case')} of an earlier run. " if kept else ""
    yield Text(f"{before}Results: {file}", style="dim")


def summary(results: Sequence[Result]) -> str:
    """How many ended how."""
    words = Counter(result.outcome for result in results)
    return f"{counted(len(results), 'case')}: {', '.join(f'{words[word]} {word}' for word in Word if words[word])}."


def cells(result: Result) -> tuple[str, ...]:
    """One row."""
    return (
        result.outcome.value,
        result.architecture,
        result.transformers,
        str(result.tensor_parallel),
        f"{result.seconds:.0f}",
        " ".join(result.reason.split()),
    )


def json_report(results: Sequence[Result]) -> str:
    """All of it, version 1. Its schema is `docs/prove.schema.json`."""
    content = {
        "version": VERSION,
        "exit_status": exit_status(results),
        "cases": [as_dictionary(result) for result in results],
    }
    return json.dumps(content, indent=1)


def markdown_report(results: Sequence[Result]) -> str:
    """A table, for a pull request or the summary of a job."""
    return f"{as_markdown(COLUMNS, [cells(result) for result in results])}\n\n{summary(results)}"
