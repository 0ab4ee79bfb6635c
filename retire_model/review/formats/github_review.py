"""The body of a request to GitHub's pull-request review API."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from retire_model.review.formats.markdown import MOST_CHARACTERS, summary
from retire_model.review.markdown import code, escaped, fenced

if TYPE_CHECKING:
    from retire_model.review.report import Report, Told

MOST_COMMENTS = 40
"""A review with more is nobody's to read, and GitHub's own limits on what is posted at once are not far."""


def github_review(report: Report) -> str:
    """The review as JSON: comments where the pull request shows the line, all else in the body."""
    inline = [told for told in report.told if told.inline][:MOST_COMMENTS]
    comments = [comment for told in inline if len((comment := _comment(told))["body"]) <= MOST_CHARACTERS]
    content = {
        "commit_id": report.head_commit,
        "event": "COMMENT",
        "body": summary(report, [told for told in report.told if told not in inline], report.patch),
        "comments": comments,
    }
    return json.dumps(content, indent=2) + "\n"


def _comment(told: Told) -> dict[str, Any]:
    remark = told.remark
    body = (
        f"{fingerprint(told)}\n**{remark.severity}**: {escaped(remark.message)}. {escaped(remark.remedy)} "
        f"({code(remark.code)})\n"
    )
    place: dict[str, Any] = {"line": remark.location.line, "side": "RIGHT"}
    if (suggestion := told.suggestion) is not None:
        body += f"\n{fenced(''.join(suggestion.lines), 'suggestion')}"
        place["line"] = suggestion.last
        if suggestion.first < suggestion.last:
            place |= {"start_line": suggestion.first, "start_side": "RIGHT"}
    return {"path": remark.location.file, "body": body, **place}


def fingerprint(told: Told) -> str:
    """What a comment is known again by: it stands for the same remark wherever its line has moved."""
    remark = told.remark
    known = "\0".join((remark.code, remark.location.file, remark.message))
    return f"<!-- retire-model remark {hashlib.sha256(known.encode()).hexdigest()[:16]} -->"
