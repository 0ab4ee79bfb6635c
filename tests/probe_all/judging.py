"""Holds what the two readings of many classes gave against the list of known disagreements."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retire_model.probe.comparison import STAGES, SUBJECTS, compare, compare_stages
from retire_model.probe.reading import NotBuilt, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from analyzer.release.hugging_face_model import HuggingFaceModel

KNOWN = Path(__file__).parents[2] / "fixtures/probe-disagreements.toml"
NOT_BUILT = "not-built"
UNREAD = ("tensor-parallel-plan", "pipeline-parallel-plan", "attention-interface", "sharding")
"""What reading does not tell of a language model that the checkpoint names."""

Known = dict[str, dict[str, str]]
"""For an architecture and a subject the reason for which the readings disagree."""


@dataclass(frozen=True, slots=True)
class Row:
    """One class: for each subject what is to be told of it."""

    architecture: str
    differences: Mapping[str, tuple[str, ...]]
    """For a subject each `read …, is …`; for `not-built` the reason."""
    untold: tuple[str, ...]
    """The subjects that one reading says nothing of."""
    ranks: str
    stages: str

    def mark(self, subject: str, known: Known) -> str:
        """One word for the table."""
        if NOT_BUILT in self.differences:
            return "-"
        if subject in self.differences:
            return "known" if subject in known.get(self.architecture, {}) else "DIFFERS"
        return "?" if subject in self.untold else "ok"


def row(model: HuggingFaceModel, answer: Mapping[str, Any], in_stages: bool | None) -> Row:
    """Compare one answer of the probe with what was read, and with whether the backend is said to run it in stages."""
    outcome = parse(answer)
    if isinstance(outcome, NotBuilt):
        return Row(outcome.architecture, {NOT_BUILT: (outcome.reason,)}, (), "-", "-")
    differences: dict[str, tuple[str, ...]] = {}
    for found in (*compare(model, outcome), *compare_stages(in_stages, outcome)):
        differences[found.about] = (*differences.get(found.about, ()), f"read {found.static}, is {found.dynamic}")
    untold = set(UNREAD if not model.plan_readable else ())
    untold |= {STAGES} if not in_stages or outcome.staged is None else set()
    untold |= {"sharding"} if outcome.sharded is None else set()
    untold |= {"output-head"} if outcome.head is None or model.output_head.projection is None else set()
    ranks, stages = (_word(run.agrees) if run is not None else "-" for run in (outcome.sharded, outcome.staged))
    return Row(outcome.architecture, differences, tuple(sorted(untold)), ranks, stages)


def _word(agrees: bool) -> str:
    return "same" if agrees else "other"


def read_known(path: Path = KNOWN) -> tuple[list[str], Known]:
    """The releases that the list was made with, and the list."""
    content = tomllib.loads(path.read_text())
    return content.pop("tested"), content


def unlisted(rows: Iterable[Row], known: Known) -> Iterator[str]:
    """What no reason is kept for."""
    for found in rows:
        for subject, texts in found.differences.items():
            if subject not in known.get(found.architecture, {}):
                yield from (f"{found.architecture} {subject}: {text}" for text in texts)


def gone(rows: Sequence[Row], known: Known) -> Iterator[str]:
    """What a reason is kept for and is no more, of the classes that the release has."""
    for found in rows:
        for subject in known.get(found.architecture, {}):
            if subject not in found.differences:
                yield f"{found.architecture} {subject}"


def table(rows: Iterable[Row], known: Known) -> Iterator[str]:
    """A line for each class."""
    yield f"{'':40}{''.join(f'{name:{len(name) + 2}}' for name in SUBJECTS)}ranks   stages"
    for found in rows:
        cells = "".join(f"{found.mark(name, known):{len(name) + 2}}" for name in SUBJECTS)
        yield f"{found.architecture:40}{cells}{found.ranks:8}{found.stages}"


def summary(rows: Sequence[Row], known: Known) -> Iterator[str]:
    """Counts for each subject, and for all of them together."""
    built = [found for found in rows if NOT_BUILT not in found.differences]
    agree = sum(not found.differences for found in built)
    yield f"{len(rows)} classes, {len(built)} built, {agree} agree on everything"
    for subject in SUBJECTS:
        marks = [found.mark(subject, known) for found in built]
        words = {"ok": "agree", "?": "untold", "known": "listed with a reason", "DIFFERS": "disagree"}
        yield f"{subject:24}{', '.join(f'{marks.count(mark)} {word}' for mark, word in words.items())}"
