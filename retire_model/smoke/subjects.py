"""What a smoke run is about: the architectures that are meant, how both trees serve them, and what reading says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.engine_tree import EngineTree, open_engine_tree
from analyzer.errors import RetireModelError, WrongUse
from analyzer.hugging_face import HuggingFaceSource
from analyzer.model_names import NamedModel, ServedOtherwise, find_models
from analyzer.registry import REGISTRY_FILE
from retire_model.cache_layout import cache_folder
from retire_model.engine_argument import parse_engine, tree_to_read
from retire_model.progress import show_progress
from retire_model.releases import ReleaseCache
from retire_model.smoke.sides import Sides, sides_of
from rules.assessment import Assessment, Assessor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.smoke.engine_python import EnginePython

GENERATES = "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES"


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One architecture."""

    architecture: str
    sides: Sides
    assessment: Assessment | None
    """None where the sources cannot be judged."""


def find_subjects(
    models: Sequence[str], before: str | None, after: str | None, python: EnginePython
) -> tuple[Subject, ...]:
    """What `models` mean in the tree `before`, else in the current directory, else in what is installed.

    Raises `WrongUse` for what generates no text, and the errors of reading.
    """
    first = open_engine_tree(_root(before, python))
    second = open_engine_tree(_root(after, python)) if after is not None else None
    source = transformers_of(python)
    found: list[Subject] = []
    for model in find_models(first, (source,), models):
        assessment = _judged(first, source, model)
        found += [Subject(name, sides_of(name, first, second), assessment) for name in generators(model, source)]
    return tuple(found)


def transformers_of(python: EnginePython) -> HuggingFaceSource:
    """The Transformers that the engine's Python has, to be read."""
    package = python.transformers
    return HuggingFaceSource(package.folder.parent, str(package.version))


def generators(model: NamedModel, source: HuggingFaceSource) -> tuple[str, ...]:
    """The architectures that are meant and generate text. Raises `WrongUse` where none does."""
    meant = (model.architecture,) if isinstance(model, ServedOtherwise) else model.architectures
    known = set(source.auto_mapping(GENERATES).values())
    found = tuple(name for name in meant if name in known)
    if not found:
        raise WrongUse(
            f"{', '.join(meant)}: no class of Transformers {source.label} that generates text has that name",
            "The smoke run makes checkpoints of language models of text alone.",
        )
    return found


def _root(argument: str | None, python: EnginePython) -> Path:
    if argument is None and python.engine is not None and not Path(REGISTRY_FILE).exists():
        return python.engine.folder.parent
    return tree_to_read(parse_engine(argument), ReleaseCache(cache_folder(), show_progress))


def _judged(tree: EngineTree, source: HuggingFaceSource, model: NamedModel) -> Assessment | None:
    try:
        return Assessor(tree, (source,)).assess(model)
    except RetireModelError:
        return None
