"""The report for people: verdict tables, findings, the plan and its difference, in colour where a terminal is."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from codemods.edits import ChangeSet, Creation, Deletion
from retire_model.differences import count_lines, unified_diff
from rules.findings import Capability, Finding, Level
from rules.verdict import Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from analyzer.engine_tree import EngineTree
    from rules.assessment import Assessment

VERDICTS = {
    Verdict.RETIRE: ("can be retired, nothing is lost", "bold green"),
    Verdict.RETIRE_WITH_LOSSES: ("can be retired with losses", "bold yellow"),
    Verdict.KEEP: ("has to stay", "bold red"),
    Verdict.UNPROVEN: ("cannot be decided by reading alone", "bold magenta"),
}
SERVED_VERDICTS = {
    Verdict.RETIRE: "can be served by the backend",
    Verdict.RETIRE_WITH_LOSSES: "can be served by the backend, with wrong numbers",
    Verdict.KEEP: "cannot be served by the backend",
}
"""For models without a modeling file."""
STATUS_STYLES = {
    Status.KEPT: "green",
    Status.GAINED: "bold green",
    Status.LOST: "bold red",
    Status.ABSENT: "dim",
    Status.UNPROVEN: "magenta",
}
LEVEL_STYLES = {
    Level.BLOCKS: "bold red",
    Level.LOSES: "yellow",
    Level.GAINS: "green",
    Level.UNPROVEN: "magenta",
    Level.NOTE: "dim",
}
INDENT = " " * 9
DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def assessment_report(engine: EngineTree, assessments: Sequence[Assessment]) -> Text:
    """What was judged: for each model a table of capabilities and the findings behind it."""
    version = f"vLLM {engine.version}" if engine.version else "vLLM of unknown version"
    return _lines(
        [
            Text(f"{version} at {engine.files.real_root}", style="dim"),
            *(line for a in assessments for line in _model(a)),
        ]
    )


def _model(assessment: Assessment) -> Iterator[Text]:
    judgement = assessment.judgement
    words, style = VERDICTS[judgement.verdict]
    about = ", ".join(assessment.architectures)
    if assessment.module is not None:
        files = assessment.module.files
        where = files[0] if len(files) == 1 else f"{len(files)} files of {files[0].rpartition('/')[0]}"
        about += f", {assessment.module.lines} lines in {where}"
    else:
        words = SERVED_VERDICTS.get(judgement.verdict, words)
        about += f", in {assessment.entry.dictionary}" if assessment.entry else ", not in the engine's registry"
    yield Text()
    yield Text.assemble((assessment.name, "bold"), " ", (words, style))
    yield Text(about, style="dim")
    yield from _capabilities(assessment)
    yield from _turning_point(assessment)
    for found in assessment.judgements:
        if found.findings and len(assessment.judgements) > 1:
            yield Text(f"with Transformers {found.release}:", style="bold")
        yield from _findings(found.findings)


def _capabilities(assessment: Assessment) -> Iterator[Text]:
    releases = [f"Transformers {judgement.release}" for judgement in assessment.judgements]
    today = assessment.module is not None
    told = {finding.capability for judgement in assessment.judgements for finding in judgement.findings}
    headings = ("capability", *(["today"] if today else []), *releases)
    rows = [[Text(heading, style="dim") for heading in headings]]
    for capability in Capability:
        verdicts = [judgement.capabilities[capability] for judgement in assessment.judgements]
        if capability in told or any(verdict.status is not Status.ABSENT for verdict in verdicts):
            statuses = [Text(verdict.status.value, style=STATUS_STYLES[verdict.status]) for verdict in verdicts]
            before = [Text(_has(verdicts[0].bespoke))] if today else []
            rows.append([Text(capability.value), *before, *statuses])
    return aligned(rows)


def _turning_point(assessment: Assessment) -> Iterator[Text]:
    """A line where the model is eligible with a later release and not with an earlier one."""
    able = [j.verdict in (Verdict.RETIRE, Verdict.RETIRE_WITH_LOSSES) for j in assessment.judgements]
    for (earlier, later), before, after in zip(pairwise(assessment.judgements), able, able[1:], strict=False):
        if after and not before:
            line = f"Eligible with Transformers {later.release}, not with {earlier.release}: --since names the first."
            yield Text(line, style="bold")


def _has(value: bool | None) -> str:
    return "?" if value is None else "yes" if value else "no"


def _findings(findings: Iterable[Finding]) -> Iterator[Text]:
    for finding in findings:
        level = (f"{finding.level.value:<9}", LEVEL_STYLES[finding.level])
        yield Text.assemble(level, finding.message, (f"  [{finding.rule}]", "dim"))
        if finding.location is not None:
            yield Text(f"{INDENT}{finding.location}", style="cyan")
        if finding.remedy and finding.level is not Level.GAINS:
            yield Text(f"{INDENT}{finding.remedy}", style="italic")


def plan_report(change_set: ChangeSet) -> Text:
    """What a retirement changes: the list of files, then the difference of those that stay."""
    rows = []
    for edit in change_set.edits:
        added, removed = count_lines(edit)
        kind = "delete" if isinstance(edit, Deletion) else "create" if isinstance(edit, Creation) else "edit"
        counts = Text.assemble((f"+{added}", "green"), " ", (f"-{removed}", "red"))
        rows.append([Text(kind), Text(edit.file), counts, Text("; ".join(edit.reasons), style="dim")])
    differences = [_difference(unified_diff(e)) for e in change_set.edits if not isinstance(e, Deletion)]
    return _lines([Text(), Text("The plan", style="bold"), *aligned(rows), *differences])


def _difference(difference: str) -> Text:
    lines = [Text()]
    for line in difference.splitlines():
        heading = line.startswith(("--- ", "+++ "))
        lines.append(Text(line, style="bold" if heading else DIFF_STYLES.get(line[:1], "")))
    return _lines(lines)


def aligned(rows: Sequence[Sequence[Text]]) -> Iterator[Text]:
    """The rows with their columns below one another, nothing cut and nothing behind the last column."""
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        line = Text()
        for cell, width in zip(row, widths, strict=True):
            line = Text.assemble(line, cell, " " * (width - cell.cell_len + 3))
        line.rstrip()
        yield line


def _lines(lines: Iterable[Text]) -> Text:
    return Text("\n").join(lines)


def console() -> Console:
    """Standard output. Text of a tree never counts as markup; lines are left whole, as diffs and paths must be."""
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
