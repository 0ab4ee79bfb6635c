"""What a smoke run is about: the architectures that are meant, how both trees serve them, and what reading says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.engine.engine_tree import EngineTree, open_engine_tree
from analyzer.engine.model_names import NamedModel, ServedOtherwise, find_models
from analyzer.engine.registry import REGISTRY_FILE
from analyzer.errors import RetireModelError, WrongUse
from analyzer.release.hugging_face import HuggingFaceSource
from retire_model.reports.progress import DownloadProgress
from retire_model.smoke.sides import Sides, sides_of, written_sides
from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.engine_argument import EngineFolder, parse_engine, tree_to_read
from retire_model.sources.releases import ReleaseCache
from retire_model.sources.trees import mend_cut_off_run
from rules.assessment import Assessment, Assessor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    first = open_engine_tree(root_of_tree(before, "--before", python))
    second = open_engine_tree(root_of_tree(after, "--after", python)) if after is not None else None
    source = transformers_of(python)
    assessor = Assessor(first, (source,))
    found: list[Subject] = []
    for model in find_models(first, (source,), models):
        assessment = _assessed(assessor, model)
        found += [Subject(name, sides_of(name, first, second), assessment) for name in generators(model, source)]
    return tuple(found)


def written_subjects(
    names: Sequence[str],
    before: EngineTree,
    after: EngineTree,
    earlier: Mapping[str, bytes | None],
    python: EnginePython,
) -> tuple[Subject, ...]:
    """Those of the architectures `names` that generate text, in a tree that has been rewritten.

    `earlier` is what its files were. Raises `WrongUse` where none generates text.
    """
    source = transformers_of(python)
    known = set(source.auto_mapping(GENERATES).values())
    found = [name for name in names if name in known]
    if not found:
        raise WrongUse(f"none of {', '.join(names)} generates text", "Leave --smoke out.")
    assessor = Assessor(before, (source,))
    models = find_models(before, (source,), found)
    judged = {name: _assessed(assessor, model) for model in models for name in _architectures(model)}
    return tuple(Subject(n, written_sides(n, before, after, earlier), judged.get(n)) for n in found)


def transformers_of(python: EnginePython) -> HuggingFaceSource:
    """The Transformers that the engine's Python has, to be read."""
    package = python.transformers
    return HuggingFaceSource(package.folder.parent, str(package.version))


def generators(model: NamedModel, source: HuggingFaceSource) -> tuple[str, ...]:
    """The architectures that are meant and generate text. Raises `WrongUse` where none does."""
    meant = _architectures(model)
    known = set(source.auto_mapping(GENERATES).values())
    found = tuple(name for name in meant if name in known)
    if not found:
        raise WrongUse(
            f"{', '.join(meant)}: no class of Transformers {source.label} that generates text has that name",
            "The smoke run makes checkpoints of language models of text alone.",
        )
    return found


def root_of_tree(argument: str | None, option: str, python: EnginePython) -> Path:
    """The tree that `option` names, such as `--before`; without a name the current directory, else what is installed.

    Raises the errors of fetching.
    """
    if argument is None and python.engine is not None and not Path(REGISTRY_FILE).exists():
        return python.engine.folder.parent
    engine = parse_engine(argument, option)
    if isinstance(engine, EngineFolder):
        mend_cut_off_run(engine.path)
    return tree_to_read(engine, ReleaseCache(cache_folder(), DownloadProgress()))


def _architectures(model: NamedModel) -> tuple[str, ...]:
    return (model.architecture,) if isinstance(model, ServedOtherwise) else model.architectures


def _assessed(assessor: Assessor, model: NamedModel) -> Assessment | None:
    try:
        return assessor.assess(model)
    except RetireModelError:
        return None
