"""A review ready to be shown: which mends can be suggested in place, and what is left for a patch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codemods.edits import Edit, Rewrite
from codemods.plan import Migrate
from retire_model.reports.differences import lines_of, unified_diff
from retire_model.review.remark import Remark, Replacement
from retire_model.review.replacements import applied, as_one, replacements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retire_model.review.asking import Answers
    from retire_model.review.change import Change
    from retire_model.review.retired import Retired

LONGEST_SUGGESTION = 60
"""Lines. A longer one is not read in a comment."""


@dataclass(frozen=True, slots=True)
class Told:
    """A remark, and where and how a pull request can show it."""

    remark: Remark
    inline: bool
    """Its line is one of those that the pull request shows."""
    suggestion: Replacement | None
    """Whole lines, all in one hunk, which stand for its fix."""


@dataclass(frozen=True, slots=True)
class Report:
    """All that is shown."""

    head_commit: str
    told: tuple[Told, ...]
    patch: tuple[Edit, ...]
    """What no suggestion mends."""
    everything: tuple[Edit, ...]
    """What mends all."""
    headlines: tuple[str, ...]
    """What the change is about, a line a model."""
    unasked: tuple[str, ...]


def report_of(change: Change, answers: Answers) -> Report:
    """Decide how each remark is shown."""
    told: list[Told] = []
    for remark in answers.remarks:
        suggestion = _suggestion(change, remark, [t.suggestion for t in told if t.suggestion])
        place = suggestion or Replacement(remark.location.file, remark.location.line, remark.location.line, ())
        inline = change.lines.shows(place.file, place.first, place.last)
        told.append(Told(remark, inline, suggestion))
    suggested = {part for t in told if t.suggestion for part in t.remark.fix}
    patch = tuple(edit for e in answers.edits if (edit := _without(e, suggested)) is not None)
    return Report(
        change.head_commit, tuple(told), patch, answers.edits, tuple(map(_headline, answers.retired)), answers.unasked
    )


def _headline(model: Retired) -> str:
    """What becomes of a model; what the backend could do is no matter where it is given up."""
    judgement = model.assessment.judgement
    names = ", ".join(name for name, outcome in model.outcomes.items() if isinstance(outcome, Migrate))
    gone = ", ".join(name for name, outcome in model.outcomes.items() if not isinstance(outcome, Migrate))
    lost = f", loses {', '.join(judgement.losses)}" if judgement.losses else ""
    told = [f"{names} to the backend: {judgement.verdict} with Transformers {judgement.release}{lost}"] if names else []
    return "; ".join([*told, f"{gone} given up"] if gone else told)


def _suggestion(change: Change, remark: Remark, others: Sequence[Replacement]) -> Replacement | None:
    """The fix as one replacement of lines that the pull request shows; None where it is none."""
    file = remark.location.file
    if not remark.fix or any(part.file != file for part in remark.fix):
        return None
    data = change.head.files.read(file)
    whole = _anchored(as_one(remark.fix, data), lines_of(data))
    apart = all(other.file != file or other.last < whole.first or whole.last < other.first for other in others)
    short = max(len(whole.lines), whole.last - whole.first) <= LONGEST_SUGGESTION
    shown = change.lines.shows(file, whole.first, whole.last)
    gone = lines_of(data)[whole.first - 1 : whole.last]
    return whole if shown and apart and short and all(map(_is_plain, (*whole.lines, *gone))) else None


def _anchored(part: Replacement, lines: Sequence[str]) -> Replacement:
    """A replacement of at least one line: a suggestion cannot stand between two."""
    if part.first <= part.last or not lines:
        return part
    if part.first == 1:
        return Replacement(part.file, 1, 1, (*part.lines, lines[0]))
    before = part.first - 1
    return Replacement(part.file, before, before, (lines[before - 1], *part.lines))


def _is_plain(line: str) -> bool:
    """Whether a line comes out of a comment as it went in."""
    return line.endswith("\n") and all(c.isprintable() or c in "\t\ufe0e\ufe0f" for c in line[:-1])


def _without(edit: Edit, suggested: set[Replacement]) -> Edit | None:
    """What of `edit` is not suggested."""
    if not isinstance(edit, Rewrite):
        return edit
    left = [part for part in replacements(edit) if part not in suggested]
    return Rewrite(edit.file, edit.before, applied(left, edit.before), edit.reasons) if left else None


def patch_text(edits: Sequence[Edit]) -> Iterator[tuple[Edit, str]]:
    """Each edit as `git apply` takes it."""
    from codemods.edits import Creation, Deletion

    for edit in edits:
        mode = {Deletion: "deleted file mode 100644\n", Creation: "new file mode 100644\n"}.get(type(edit), "")
        yield edit, f"diff --git a/{edit.file} b/{edit.file}\n{mode}{unified_diff(edit)}"
