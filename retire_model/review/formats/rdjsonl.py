"""A review as the diagnostic format of reviewdog, a line of JSON a remark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retire_model.review.formats.json_text import json_line

if TYPE_CHECKING:
    from retire_model.review.remark import Remark, Replacement
    from retire_model.review.report import Report


def rdjsonl_report(report: Report) -> str:
    """One diagnostic a remark; mends in other files cannot be said in this format."""
    return "".join(json_line(_diagnostic(told.remark)) for told in report.told)


def _diagnostic(remark: Remark) -> dict[str, Any]:
    place = remark.location
    found: dict[str, Any] = {
        "message": f"{remark.message}. {remark.remedy}",
        "location": {"path": place.file, "range": {"start": {"line": place.line}}},
        "severity": remark.severity.value.upper(),
        "source": {"name": "retire-model"},
        "code": {"value": remark.code},
    }
    own = [part for part in remark.fix if part.file == place.file]
    if own:
        found["suggestions"] = [_suggestion(part) for part in own]
    return found


def _suggestion(part: Replacement) -> dict[str, Any]:
    """Whole lines with their ends: the range ends where the next line begins."""
    return {
        "range": {"start": {"line": part.first, "column": 1}, "end": {"line": part.last + 1, "column": 1}},
        "text": "".join(part.lines),
    }
