"""Which architectures are run: those of the models that are named, or all that reading calls eligible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.model_names import find_models
from retire_model.messages import complain
from retire_model.smoke.subjects import GENERATES, generators
from retire_model.survey.ranking import ranked
from retire_model.survey.survey import survey

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.release.hugging_face import HuggingFaceSource


def named(models: Sequence[str], engine: EngineTree, source: HuggingFaceSource) -> tuple[str, ...]:
    """The architectures that `models` mean. Raises `WrongUse` for a name that means nothing, or generates no text."""
    found = find_models(engine, (source,), models)
    return tuple(name for model in found for name in generators(model, source))


def eligible(engine: EngineTree, source: HuggingFaceSource, kept: Path) -> tuple[str, ...]:
    """The architectures that can be retired under that release and generate text, as the survey ranks them.

    Says what is left out. Raises the errors of reading.
    """
    surveyed = survey(engine, (source,), {}, kept)
    best_first = ranked(surveyed.rows, "rank", "eligible")
    names = dict.fromkeys(
        [
            *(name for row in best_first for name in row.assessment.architectures),
            *(one.architecture for row in surveyed.rows for one in row.entries_alone),
        ]
    )
    generating = set(source.auto_mapping(GENERATES).values())
    left_out = [name for name in names if name not in generating]
    if left_out:
        complain(f"left out, since they generate no text with Transformers {source.label}: {', '.join(left_out)}")
    return tuple(name for name in names if name in generating)
