"""Reads a whole tree and its models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from analyzer.engine.model_names import BespokeModel
from retire_model.survey.judging import Judged, Unread, judge_all
from retire_model.survey.kept import content_name, find_kept, keep
from retire_model.survey.rows import Row
from retire_model.survey.surroundings import Tree, helper_modules
from rules.assessment import Assessor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.release.hugging_face import HuggingFaceSource


@dataclass(frozen=True, slots=True)
class Survey:
    """All hand-written models of a tree."""

    engine: EngineTree
    releases: tuple[str, ...]
    """Of Transformers, which they are judged against."""
    rows: tuple[Row, ...]
    """In the registry's order."""
    unread: tuple[Unread, ...]
    """Models that could not be read."""


def survey(engine: EngineTree, sources: Sequence[HuggingFaceSource], since: Mapping[str, str], kept: Path) -> Survey:
    """Judge every hand-written model of `engine`, or take what is kept in the folder `kept` for these very contents.

    `since` says how old modules are, where that is known. Raises the errors of reading what all models share.
    """
    name = content_name(engine, sources)
    found = find_kept(kept, name)
    if found is None:
        found = _judge(engine, sources)
        keep(kept, name, found)
    rows, unread = found
    aged = tuple(replace(row, around=replace(row.around, since=since.get(row.module))) for row in rows)
    return Survey(engine, tuple(source.label for source in sources), aged, unread)


def _judge(engine: EngineTree, sources: Sequence[HuggingFaceSource]) -> tuple[tuple[Row, ...], tuple[Unread, ...]]:
    architectures: dict[str, dict[str, None]] = {}
    for entry in engine.registry.bespoke_entries():
        if entry.module is not None:
            architectures.setdefault(entry.module, {})[entry.architecture] = None
    models = [BespokeModel(module, tuple(named), whole=True) for module, named in architectures.items()]
    helpers = helper_modules(engine)
    assessor = Assessor(engine, tuple(sources))
    judged = judge_all(assessor, models, helpers)
    tree = Tree(engine, assessor.sub_models, judged.references, helpers)
    found = [outcome.assessment for outcome in judged.outcomes if isinstance(outcome, Judged)]
    rows = tuple(Row(assessment, assessment.judgement, tree.around(assessment)) for assessment in found)
    return rows, tuple(outcome for outcome in judged.outcomes if isinstance(outcome, Unread))
