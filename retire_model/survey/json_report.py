"""The survey for machines: the report of `check`, and the part `survey` of the same schema."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from retire_model.reports.report_json import report
from retire_model.survey.families import families
from retire_model.survey.remedies import unlocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.survey.changes import Changes
    from retire_model.survey.families import Family
    from retire_model.survey.remedies import Unlock
    from retire_model.survey.rows import Row
    from retire_model.survey.survey import Survey


def survey_json(found: Survey, rows: Sequence[Row], changes: Changes | None) -> str:
    """The survey with `rows` as its models, in their order."""
    part: dict[str, Any] = {
        "transformers": list(found.releases),
        "rows": [_row(row) for row in rows],
        "unlocks": [_unlock(unlock) for unlock in unlocks(found.rows)],
        "families": [_family(family) for family in families(found.rows)],
        "unread": [{"module": unread.model.module, "problem": unread.problem} for unread in found.unread],
    }
    if changes is not None:
        part["changes"] = asdict(changes)
    return report(found.engine, [row.assessment for row in rows], survey=part)


def _row(row: Row) -> dict[str, Any]:
    around = row.around
    return {
        "module": row.module,
        "verdict": row.verdict.value,
        "lines_saved": row.lines_saved,
        "falls": list(around.falls),
        "lost": [capability.value for capability in row.lost],
        "gained": [capability.value for capability in row.gained],
        "dependents": list(around.dependents),
        "builders": list(around.builders),
        "tested": around.tested,
        "since": around.since,
        "rules_in_the_way": list(dict.fromkeys(finding.rule for finding in row.obstacles)),
        "unlock": row.unlock,
        "entries_alone": [one.architecture for one in row.entries_alone],
        "score": round(row.score, 1),
    }


def _unlock(unlock: Unlock) -> dict[str, Any]:
    return {
        "mend": unlock.mend,
        "rules": list(unlock.rules),
        "lines": unlock.lines,
        "lossless_lines": unlock.lossless_lines,
        "alone": [row.module for row in unlock.alone],
        "with_others": [row.module for row in unlock.with_others],
    }


def _family(family: Family) -> dict[str, Any]:
    return {
        "modules": list(family.modules),
        "waves": [list(wave) for wave in family.waves],
        "held": [{"module": module, "by": list(by)} for module, by in family.held],
    }
