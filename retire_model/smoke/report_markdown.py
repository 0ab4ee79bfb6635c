"""The report for a pull request: what a machine can say, and empty places for what only a human can."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from retire_model.smoke.report_text import (
    EMULATION,
    ON_CPU,
    WORDS,
    difference,
    measured_row,
    said,
    summary,
    tolerance_line,
    versions,
)
from retire_model.smoke.settings import Device
from rules.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retire_model.smoke.outcomes import CheckResult
    from retire_model.smoke.report import SmokeReport

FOR_A_HUMAN = (
    "Why now, and who asked for it",
    "Tried by hand (which checkpoint, which prompts, what came out)",
    "Real checkpoints and hardware that were not at hand",
    "Who depends on what is lost, and what they were told",
)


def markdown_report(reports: Sequence[SmokeReport]) -> Iterator[str]:
    """The lines."""
    names = ", ".join(f"`{report.architecture}`" for report in reports)
    yield from ("## Purpose", "", f"Serve {names} by the Transformers modeling backend.", "")
    for report in reports:
        yield from _model(report)
    yield from ("## Command", "", "```", shlex.join(["retire-model", *sys.argv[1:]]), "```", "")
    yield from ("## For a human to fill in", "")
    for place in FOR_A_HUMAN:
        yield from (f"**{place}:**", "", "<!-- … -->", "")


def _model(report: SmokeReport) -> Iterator[str]:
    yield from (f"## {report.architecture}", "")
    if report.is_emulation:
        yield from (f"**{EMULATION}**", "")
    yield from _stakes(report)
    yield from (f"- Versions: {versions(report)}", f"- Device: {report.settings.device_name}, {report.settings.dtype}")
    yield from (f"- Before: {report.before}", f"- After: {report.after}", "", f"**{summary(report)}**", "")
    rows = [(r.name, WORDS[type(r.outcome)][0], difference(r.outcome), _sentence(r)) for r in report.results]
    yield from _table(("check", "outcome", "difference", ""), rows)
    yield from ("", tolerance_line(report), "")
    if report.measurements:
        yield from _table(("quantity", "before", "after", "ratio", ""), map(measured_row, report.measurements))
        yield from ("", ON_CPU, "") if report.settings.device is Device.CPU else ("",)


def _stakes(report: SmokeReport) -> Iterator[str]:
    """What goes, and what reading says is lost and gained; nothing where there is no module to go."""
    if report.assessment is None or report.assessment.module is None:
        return
    module = report.assessment.module
    files = ", ".join(f"`{file}`" for file in module.files)
    yield f"- Goes: {files} ({module.lines} lines)"
    verdicts = report.assessment.judgement.capabilities.items()
    for status in (Status.LOST, Status.GAINED, Status.UNPROVEN):
        names = [capability.value for capability, verdict in verdicts if verdict.status is status]
        yield f"- {status.value.capitalize()}, by reading: {', '.join(names) or 'nothing'}"


def _sentence(result: CheckResult) -> str:
    return "; ".join(filter(None, (said(result.outcome), *result.explanations)))


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _row(headings)
    yield _row(["---"] * len(headings))
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|').replace('<', '&lt;') for cell in cells)} |"
