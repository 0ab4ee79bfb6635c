"""The answer to `/retire-model MODEL…`: the verdict on the tree that is checked out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.model_names import find_models
from analyzer.errors import RetireModelError
from retire_model.review.formats.markdown import MOST_CHARACTERS
from retire_model.review.markdown import code, escaped
from retire_model.sources.trees import open_trees
from rules.assessment import Assessor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rules.assessment import Assessment

RESERVE = 200


def answer(models: Sequence[str], engine: Path, releases: Sequence[str]) -> str:
    """The verdicts as a comment; of what cannot be judged why."""
    try:
        trees = open_trees(str(engine), releases)
        found = Assessor(trees.engine, trees.sources).assess_all(find_models(trees.engine, trees.sources, models))
        parts = [line for assessment in found for line in _told(assessment)]
    except RetireModelError as error:
        parts = [f"{escaped(error.problem)}. {escaped(error.remedy)}\n"]
    text = ""
    for part in parts:
        if len(text) + len(part) > MOST_CHARACTERS - RESERVE:
            return f"{text}\n… the rest had no room in a comment: `retire-model check` has it.\n"
        text += part
    return text


def _told(assessment: Assessment) -> Iterator[str]:
    judgement = assessment.judgement
    yield f"### {escaped(assessment.name)}: {judgement.verdict} (Transformers {escaped(judgement.release)})\n\n"
    yield "| capability | today | backend |\n| --- | --- | --- |\n"
    today = {True: "yes", False: "no", None: "unknown"}
    for capability, verdict in judgement.capabilities.items():
        yield f"| {capability} | {today[verdict.bespoke]} | {verdict.status} |\n"
    yield "\n"
    for finding in judgement.findings:
        place = f" at {code(str(finding.location))}" if finding.location else ""
        told = f"{finding.capability}: {escaped(finding.message)}{place}. {escaped(finding.remedy)}"
        yield f"- **{finding.level}** {told}\n"
    yield "\n"
