"""A review as annotations of a job: GitHub shows ten of a level a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retire_model.messages import counted
from retire_model.reports.workflow_commands import annotation, notice
from retire_model.review.remark import Severity

if TYPE_CHECKING:
    from retire_model.review.report import Report

MOST_OF_A_LEVEL = 10


def github_report(report: Report) -> str:
    """One command a remark, the first ten of each level, and a notice on the others."""
    lines, cut = list[str](), list[str]()
    for severity in Severity:
        remarks = [told.remark for told in report.told if told.remark.severity is severity]
        for remark in remarks[:MOST_OF_A_LEVEL]:
            text = f"{remark.message}. {remark.remedy}"
            lines.append(annotation(severity.value, remark.location, remark.code, text))
        if remarks[MOST_OF_A_LEVEL:]:
            cut.append(counted(len(remarks) - MOST_OF_A_LEVEL, f"more {severity}"))
    lines += [notice(f"not looked at: {reason}") for reason in report.unasked[: MOST_OF_A_LEVEL - 1]]
    if cut:
        lines.append(notice(f"{' and '.join(cut)} not shown: GitHub shows {MOST_OF_A_LEVEL} of a level a step"))
    return "".join(lines)
