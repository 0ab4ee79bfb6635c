"""Reads a review that another job wrote. That job read a stranger's change: nothing of the file is trusted."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem, WrongUse
from analyzer.source.regular_files import read_regular_file
from retire_model.review.formats.github_review import MOST_COMMENTS
from retire_model.review.formats.markdown import MARKER, MOST_CHARACTERS
from retire_model.review.materialise import is_harmless

if TYPE_CHECKING:
    from pathlib import Path

FINGERPRINT = re.compile(r"<!-- retire-model remark [0-9a-f]{16} -->")


@dataclass(frozen=True, slots=True)
class LineComment:
    """A comment at lines of the change."""

    fingerprint: str
    body: str
    path: str
    line: int
    start_line: int | None

    def as_json(self) -> dict[str, Any]:
        """What the review API takes."""
        place: dict[str, Any] = {"path": self.path, "body": self.body, "line": self.line, "side": "RIGHT"}
        return place if self.start_line is None else place | {"start_line": self.start_line, "start_side": "RIGHT"}


@dataclass(frozen=True, slots=True)
class GivenReview:
    """What is to be posted."""

    commit: str
    summary: str
    comments: tuple[LineComment, ...]
    has_remarks: bool


def read_review(file: Path) -> str:
    """The text of the file. Raises `EnvironmentProblem` where it cannot be read, or is too large to be a review."""
    try:
        return read_regular_file(file).decode("utf-8", "replace")
    except OSError as error:
        raise EnvironmentProblem(f"cannot read {file}: {error.strerror}", "Name the file with --review.") from error


def parse_review(text: str) -> GivenReview:
    """The review in `text`, with what it must have and nothing else. Raises `WrongUse`."""
    try:
        content = json.loads(text)
        comments = tuple(map(_comment, content["comments"]))
        summary, commit = content["body"], content["commit_id"]
        good = isinstance(summary, str) and isinstance(commit, str) and summary.startswith(f"{MARKER}\n")
        if good and len(summary) <= MOST_CHARACTERS and len(comments) <= MOST_COMMENTS:
            return GivenReview(commit, summary, comments, "nothing to remark" not in summary.split("\n", 2)[1])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise _refusal() from error
    raise _refusal()


def _comment(found: dict[str, Any]) -> LineComment:
    body, path, line, start = found["body"], found["path"], found["line"], found.get("start_line")
    fingerprint = FINGERPRINT.match(body)
    lines = [number for number in (start, line) if number is not None]
    if (
        fingerprint is None
        or len(body) > MOST_CHARACTERS
        or not is_harmless(path)
        or not all(type(number) is int and number > 0 for number in lines)
        or lines != sorted(set(lines))
    ):
        raise _refusal()
    return LineComment(fingerprint[0], body, path, line, start)


def _refusal() -> WrongUse:
    return WrongUse("this is no review of ours", "Make it with `retire-model review --format github-review`.")
