"""The report for people: verdict tables, findings, the plan and its difference, in colour where a terminal is."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.text import Text

from codemods.edits import ChangeSet, Creation, Deletion
from codemods.planner import nothing_to_retire
from retire_model.messages import counted
from retire_model.reports.differences import count_lines, unified_diff
from retire_model.reports.findings_text import findings_text
from retire_model.reports.layout import aligned, hanging, joined
from rules.findings import Capability
from rules.verdict import Status, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analyzer.engine.engine_tree import EngineTree
    from rules.assessment import Assessment

VERDICTS = {
    Verdict.RETIRE: ("can be retired, nothing is lost", "bold green"),
    Verdict.RETIRE_WITH_LOSSES: ("can be retired with losses", "bold yellow"),
    Verdict.KEEP: ("has to stay", "bold red"),
    Verdict.UNPROVEN: ("cannot be decided by reading alone", "bold magenta"),
}
SERVED_VERDICTS = {
    Verdict.RETIRE: "The backend can serve it.",
    Verdict.RETIRE_WITH_LOSSES: "The backend can serve it, with wrong numbers.",
    Verdict.KEEP: "The backend cannot serve it.",
    Verdict.UNPROVEN: "What the backend can do with it cannot be decided by reading alone.",
}
"""For models without a modeling file."""
STATUS_STYLES = {
    Status.KEPT: "green",
    Status.GAINED: "bold green",
    Status.LOST: "bold red",
    Status.ABSENT: "dim",
    Status.UNPROVEN: "magenta",
}
DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def assessment_report(engine: EngineTree, assessments: Sequence[Assessment]) -> Text:
    """What was judged: for each model a table of capabilities and the findings behind it."""
    return joined([_heading(engine), *(line for a in assessments for line in _model(a))])


def giving_up_report(engine: EngineTree, assessments: Sequence[Assessment]) -> Text:
    """What is given up. What the backend could do with it is no matter then."""
    return joined([_heading(engine), *(line for a in assessments for line in _given_up(a))])


def _given_up(assessment: Assessment) -> Iterator[Text]:
    yield Text()
    yield Text.assemble((title(assessment), "bold"), " is given up")
    yield from _about(assessment)


def title(assessment: Assessment) -> str:
    """The module where all of it is meant, else the architectures that are."""
    module = assessment.module
    whole = module is not None and set(assessment.architectures) >= set(module.architectures)
    return assessment.name if whole else ", ".join(assessment.architectures)


def _heading(engine: EngineTree) -> Text:
    version = f"vLLM {engine.version}" if engine.version else "vLLM of unknown version"
    return Text(f"{version} at {engine.files.real_root}", style="dim")


def _model(assessment: Assessment) -> Iterator[Text]:
    words, style = VERDICTS[assessment.judgement.verdict]
    yield Text()
    if assessment.module is not None:
        yield Text.assemble((title(assessment), "bold"), " ", (words, style))
        yield from _about(assessment)
    else:
        yield from hanging(Text.assemble((assessment.name, "bold"), f": {nothing_to_retire(assessment)}"))
        yield Text(SERVED_VERDICTS[assessment.judgement.verdict], style=style)
    yield from _capabilities(assessment)
    yield from _turning_point(assessment)
    found = list(findings_text(assessment.judgements, of_several=len(assessment.architectures) > 1))
    if found:
        yield Text()
        yield from found


def _about(assessment: Assessment) -> Iterator[Text]:
    module = assessment.module
    assert module is not None  # noqa: S101 - for models with a modeling file alone
    first = module.files[0]
    where = first if len(module.files) == 1 else f"{len(module.files)} files of {first.rpartition('/')[0]}"
    about = f"{', '.join(assessment.architectures)}: {counted(module.lines, 'line')} in {where}"
    yield from hanging(Text(about, style="dim"), 2)


def _capabilities(assessment: Assessment) -> Iterator[Text]:
    """The table: of a modeling file what becomes of each capability, else whether the backend gives it."""
    first, *more = [judgement.release for judgement in assessment.judgements]
    retired = assessment.module is not None
    headings = ["capability", *(["today"] if retired else []), f"Transformers {first}", *more]
    rows = [[Text(heading, style="dim") for heading in headings]]
    told = {finding.capability for judgement in assessment.judgements for finding in judgement.findings}
    for capability in Capability:
        verdicts = [judgement.capabilities[capability] for judgement in assessment.judgements]
        if capability in told or any(verdict.status is not Status.ABSENT for verdict in verdicts):
            cells = [Text(v.status.value if retired else _has(v.backend), STATUS_STYLES[v.status]) for v in verdicts]
            before = [Text(_has(verdicts[0].bespoke))] if retired else []
            rows.append([Text(capability.value), *before, *cells])
    return aligned(rows)


def _turning_point(assessment: Assessment) -> Iterator[Text]:
    """A line where the model is eligible with a later release and not with an earlier one."""
    able = [j.verdict in (Verdict.RETIRE, Verdict.RETIRE_WITH_LOSSES) for j in assessment.judgements]
    for (earlier, later), before, after in zip(pairwise(assessment.judgements), able, able[1:], strict=False):
        if after and not before:
            line = f"Eligible with Transformers {later.release}, not with {earlier.release}: --since names the first."
            yield from hanging(Text(line, style="bold"))


def _has(value: bool | None) -> str:
    return "unproven" if value is None else "yes" if value else "no"


def plan_report(change_set: ChangeSet) -> Text:
    """What a retirement changes: the list of files, then the difference of those that stay."""
    rows = []
    for edit in change_set.edits:
        added, removed = count_lines(edit)
        kind = "delete" if isinstance(edit, Deletion) else "create" if isinstance(edit, Creation) else "edit"
        counts = Text.assemble((f"+{added}", "green"), " ", (f"-{removed}", "red"))
        rows.append([Text(kind), Text(edit.file), counts, Text("; ".join(edit.reasons), style="dim")])
    differences = [_difference(unified_diff(e)) for e in change_set.edits if not isinstance(e, Deletion)]
    return joined([Text(), Text("The plan", style="bold"), *aligned(rows), *differences])


def _difference(difference: str) -> Text:
    lines = [Text()]
    for line in difference.splitlines():
        heading = line.startswith(("--- ", "+++ "))
        lines.append(Text(line, style="bold" if heading else DIFF_STYLES.get(line[:1], "")))
    return joined(lines)
