"""A review as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
import importlib.metadata
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from retire_model.messages import counted
from retire_model.review.catalogue import QUESTIONS
from retire_model.review.formats.json_text import json_line
from rules.lint.catalogue import CHECKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.review.remark import Remark, Replacement
    from retire_model.review.report import Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_RESULTS = 5_000
"""GitHub takes 25,000 of a run and shows these."""
MOST_BYTES = 10_000_000
"""What GitHub takes, compressed; here it is counted as it stands, to be on the safe side."""


def sarif_report(report: Report) -> str:
    """One run with a result a remark; results that GitHub would refuse are left out, with a word on that."""
    remarks = [told.remark for told in report.told]
    most = MOST_RESULTS
    while len(text := json_line(_log(report, remarks[:most], len(remarks)))) > MOST_BYTES:
        most = min(most, len(remarks)) // 2
    return text


def _log(report: Report, remarks: Sequence[Remark], number: int) -> dict[str, Any]:
    pages = {c.code: c.page() for c in CHECKS} | {q.code: q.page() for q in QUESTIONS}
    words = [f"not looked at: {reason}" for reason in report.unasked]
    if number > len(remarks):
        words.append(f"{counted(number - len(remarks), 'more remark')} left out: GitHub would not take them")
    notifications = [{"level": "warning", "message": {"text": _text(word)}} for word in words]
    codes = list(pages)
    run = {
        "tool": {
            "driver": {
                "name": "retire-model",
                "semanticVersion": importlib.metadata.version("retire-model"),
                "rules": [_rule(code, page) for code, page in pages.items()],
            }
        },
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notifications}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(remark, codes.index(remark.code)) for remark in remarks],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str, page: str) -> dict[str, Any]:
    first, _, rest = page.partition("\n\n")
    return {
        "id": code,
        "shortDescription": {"text": first.replace("\n", " ")},
        "fullDescription": {"text": rest.partition("\n\n")[0].replace("\n", " ")},
        "help": {"text": page, "markdown": page},
    }


def _result(remark: Remark, rule: int) -> dict[str, Any]:
    place = remark.location
    known = "\0".join((remark.code, place.file, remark.message))
    result: dict[str, Any] = {
        "ruleId": remark.code,
        "ruleIndex": rule,
        "level": remark.severity.value,
        "message": {"text": _text(f"{remark.message}. {remark.remedy}")},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(place.file),
                    "region": {"startLine": place.line, "startColumn": place.column},
                }
            }
        ],
        "partialFingerprints": {"remark/v1": hashlib.sha256(known.encode()).hexdigest()},
    }
    if remark.fix:
        files = dict.fromkeys(part.file for part in remark.fix)
        changes = [
            {
                "artifactLocation": _artifact(file),
                "replacements": [_replacement(part) for part in remark.fix if part.file == file],
            }
            for file in files
        ]
        result["fixes"] = [{"description": {"text": _text(remark.remedy)}, "artifactChanges": changes}]
    return result


def _replacement(part: Replacement) -> dict[str, Any]:
    region = {"startLine": part.first, "startColumn": 1, "endLine": part.last + 1, "endColumn": 1}
    return {"deletedRegion": region, "insertedContent": {"text": "".join(part.lines)}}


def _artifact(file: str) -> dict[str, str]:
    return {"uri": quote(file), "uriBaseId": "%SRCROOT%"}


def _text(text: str) -> str:
    """`text` as a SARIF message, in which brackets are links and braces are places to fill."""
    for sign, written in (("\\", "\\\\"), ("[", "\\["), ("]", "\\]"), ("{", "{{"), ("}", "}}")):
        text = text.replace(sign, written)
    return text
