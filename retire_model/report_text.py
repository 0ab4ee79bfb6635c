"""The report for people: verdict tables, findings, the plan and its difference, in colour where a terminal is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from codemods.edits import ChangeSet, Creation, Deletion
from retire_model.differences import count_lines, unified_diff
from rules.findings import Capability, Finding, Level
from rules.verdict import CapabilityVerdict, Status, Verdict

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
DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def assessment_report(engine: EngineTree, assessments: Sequence[Assessment]) -> RenderableType:
    """What was judged: for each model a table of capabilities and the findings behind it."""
    version = f"vLLM {engine.version}" if engine.version else "vLLM of unknown version"
    return Group(Text(f"{version} at {engine.root}", style="dim"), *(_model(a) for a in assessments))


def _model(assessment: Assessment) -> RenderableType:
    judgement = assessment.judgement
    words, style = VERDICTS[judgement.verdict]
    about = ", ".join(assessment.architectures)
    if assessment.module is not None:
        files = assessment.module.files
        where = files[0] if len(files) == 1 else f"{len(files)} files of {files[0].rpartition('/')[0]}"
        about += f", {assessment.module.lines} lines in {where}"
    elif assessment.entry is not None:
        about += f", in {assessment.entry.dictionary}"
    title = Text.assemble("\n", (assessment.name, "bold"), " ", (words, style), "\n", (about, "dim"))
    parts: list[RenderableType] = [title, _capabilities(assessment)]
    for found in assessment.judgements:
        if found.findings:
            if len(assessment.judgements) > 1:
                parts.append(Text(f"with Transformers {found.release}:", style="bold"))
            parts.extend(_findings(found.findings))
    return Group(*parts)


def _capabilities(assessment: Assessment) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("capability")
    table.add_column("today")
    for judgement in assessment.judgements:
        table.add_column(f"backend, Transformers {judgement.release}")
    for capability in Capability:
        verdicts = [j.capabilities[capability] for j in assessment.judgements]
        if any(v.status is not Status.ABSENT for v in verdicts):
            table.add_row(capability.value, _has(verdicts[0].bespoke), *(_status(v) for v in verdicts))
    return table


def _has(value: bool | None) -> str:
    return "?" if value is None else "yes" if value else "no"


def _status(verdict: CapabilityVerdict) -> Text:
    return Text(verdict.status.value, style=STATUS_STYLES[verdict.status])


def _findings(findings: Iterable[Finding]) -> Iterator[RenderableType]:
    for finding in findings:
        line = Text.assemble((f"{finding.level.value:<9}", LEVEL_STYLES[finding.level]), finding.message)
        line.append(f"  [{finding.rule}]", style="dim")
        yield line
        below = []
        if finding.location is not None:
            below.append(Text(str(finding.location), style="cyan"))
        if finding.remedy and finding.level is not Level.GAINS:
            below.append(Text(finding.remedy, style="italic"))
        if below:
            yield Padding(Group(*below), (0, 0, 0, 9))


def plan_report(change_set: ChangeSet) -> RenderableType:
    """What a retirement changes: the list of files, then the difference of those that stay."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for edit in change_set.edits:
        added, removed = count_lines(edit)
        kind = "delete" if isinstance(edit, Deletion) else "create" if isinstance(edit, Creation) else "edit"
        counts = Text.assemble((f"+{added}", "green"), " ", (f"-{removed}", "red"))
        table.add_row(kind, edit.file, counts, Text("; ".join(edit.reasons), style="dim"))
    differences = [_difference(unified_diff(e)) for e in change_set.edits if not isinstance(e, Deletion)]
    return Group(Text("\nThe plan", style="bold"), table, *differences)


def _difference(difference: str) -> Text:
    text = Text("\n", no_wrap=True)
    for line in difference.splitlines():
        heading = line.startswith(("--- ", "+++ "))
        text.append(line + "\n", style="bold" if heading else DIFF_STYLES.get(line[:1], ""))
    return text


def console() -> Console:
    """Standard output. Text of a tree never counts as markup; long lines wrap in a terminal and nowhere else."""
    found = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    return found
