"""The summary of a review, for a comment or a job's summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemods.edits import Deletion
from retire_model.messages import counted
from retire_model.review.markdown import code, escaped, fenced
from retire_model.review.report import patch_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from codemods.edits import Edit
    from retire_model.review.report import Report, Told

MARKER = "<!-- retire-model review -->"
"""The first line of what the bot posts: by it the bot finds its own comments again."""
MOST_CHARACTERS = 65_536
"""What GitHub takes as one comment."""
RESERVE = 2_000
"""Characters that are kept for the words on what was cut."""


def markdown_report(report: Report) -> str:
    """Everything in one summary: no comment stands at a line."""
    return summary(report, report.told, report.everything)


def summary(report: Report, told: Sequence[Told], patch: Sequence[Edit]) -> str:
    """The summary that lists `told` and holds `patch`, cut where GitHub would refuse it."""
    parts = [MARKER + "\n", _heading(report)]
    parts += [f"- {escaped(line)}\n" for line in report.headlines]
    left = MOST_CHARACTERS - RESERVE - sum(map(len, parts))
    remarks = _within(list(map(_line, told)), left, "remark")
    left -= sum(map(len, remarks))
    patches = list(_patches(patch, left))
    unasked = [f"\nNot looked at: {escaped(reason)}\n" for reason in report.unasked]
    return "".join([*parts, "\n", *remarks, *patches, *_within(unasked, RESERVE // 2, "reason")])


def _heading(report: Report) -> str:
    number = len(report.told)
    return f"### retire-model: {counted(number, 'remark') if number else 'nothing to remark'}\n\n"


def _line(told: Told) -> str:
    remark = told.remark
    return (
        f"- **{remark.severity}** at {code(str(remark.location))}: {escaped(remark.message)}. "
        f"{escaped(remark.remedy)} ({code(remark.code)})\n"
    )


def _within(lines: Sequence[str], most: int, thing: str) -> list[str]:
    """As many of `lines` as have room, and a word on the others."""
    kept: list[str] = []
    for number, line in enumerate(lines):
        most -= len(line)
        if most < 0:
            return [*kept, f"- … {counted(len(lines) - number, f'more {thing}')} had no room in a comment.\n"]
        kept.append(line)
    return kept


def _patches(edits: Sequence[Edit], most: int) -> Iterator[str]:
    """The patch in one block, as far as it has room; what has none is told by file."""
    kept: list[str] = []
    cut: list[Edit] = []
    for edit, text in patch_text(edits):
        most -= len(text)
        if most < RESERVE:
            most += len(text)
            cut.append(edit)
        else:
            kept.append(text)
    if kept:
        yield "\n<details><summary>What mends it, for <code>git apply</code></summary>\n\n"
        yield fenced("".join(kept), "diff")
        yield "\n</details>\n"
    for edit in cut[:10]:
        how = f": `git rm` {code(edit.file)}" if isinstance(edit, Deletion) else ""
        yield f"\nThe patch of {code(edit.file)} had no room in a comment{how}.\n"
    if cut[10:]:
        yield f"\nNor had those of {counted(len(cut) - 10, 'other file')}.\n"
