"""The faults of a tree as text: for people, for machines, and as the workflow commands of GitHub's actions."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from retire_model.messages import counted
from retire_model.reports.plain_text import plain
from retire_model.reports.workflow_commands import annotation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rules.lint.check import Fault

REPORT_VERSION = 1


def text_report(faults: Sequence[Fault]) -> str:
    """One line a fault, then how many there are of each kind and what to do about them."""
    lines = "".join(f"{plain(f'{f.location}: {f.message}')} [{f.check}]\n" for f in faults)
    return f"{lines}\n{_summary(faults)}" if faults else "No fault found.\n"


def _summary(faults: Sequence[Fault]) -> str:
    kinds = Counter(fault.check for fault in faults).most_common()
    counts = ", ".join(f"{number} {check}" for check, number in kinds)
    return (
        f"{counted(len(faults), 'fault')}: {counts}.\n"
        f"How to mend them: `retire-model explain {kinds[0][0]}`{' and the other names' if kinds[1:] else ''}. "
        "Only new ones from now on: --baseline FILE.\n"
    )


def json_report(faults: Sequence[Fault]) -> str:
    """An object with the list of faults."""
    rows = [
        {
            "check": fault.check,
            "message": fault.message,
            "location": {
                "file": fault.location.file,
                "line": fault.location.line,
                "column": fault.location.column,
            },
            "remedy": fault.remedy,
        }
        for fault in faults
    ]
    return json.dumps({"version": REPORT_VERSION, "faults": rows}, indent=2) + "\n"


def github_report(faults: Sequence[Fault]) -> str:
    """One `::error` command a fault."""
    return "".join(annotation("error", f.location, f.check, f"{f.message}. {f.remedy}") for f in faults)


REPORTS: dict[str, Callable[[Sequence[Fault]], str]] = {
    "text": text_report,
    "json": json_report,
    "github": github_report,
}
