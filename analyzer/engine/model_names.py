"""Finds the model a user means: by module, architecture, HF model type, file path or checkpoint id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.checkpoint_names import architectures_of_checkpoint, known_checkpoints
from analyzer.engine.engine_tree import MODELS_FOLDER
from analyzer.engine.registry import TRANSFORMERS_BACKEND
from analyzer.errors import WrongUse, shown
from analyzer.near_names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.engine.registry import RegistryEntry
    from analyzer.release.hugging_face import HuggingFaceSource


@dataclass(frozen=True, slots=True)
class BespokeModel:
    """A hand-written module and those of its architectures that are meant."""

    module: str
    architectures: tuple[str, ...]
    whole: bool
    """The module itself was named, so that all its architectures are meant."""


@dataclass(frozen=True, slots=True)
class ServedOtherwise:
    """An architecture without a hand-written module in the tree: on the backend, gone, or never there."""

    architecture: str
    entry: RegistryEntry | None
    """Where the registry names it; None where it does not."""


NamedModel = BespokeModel | ServedOtherwise


def find_models(engine: EngineTree, sources: Sequence[HuggingFaceSource], names: Iterable[str]) -> list[NamedModel]:
    """Each model that `names` mean once; architectures of one module that were named one by one count together.

    Raises `WrongUse` as `find_model` does.
    """
    merged: dict[str, NamedModel] = {}
    for name in names:
        model = find_model(engine, sources, name)
        key = model.module if isinstance(model, BespokeModel) else model.architecture
        known = merged.get(key)
        if isinstance(known, BespokeModel) and isinstance(model, BespokeModel):
            architectures = tuple(dict.fromkeys(known.architectures + model.architectures))
            merged[key] = BespokeModel(known.module, architectures, known.whole or model.whole)
        else:
            merged[key] = model
    return list(merged.values())


def find_model(engine: EngineTree, sources: Iterable[HuggingFaceSource], name: str) -> NamedModel:
    """What `name` means in the tree. Raises `WrongUse` with the nearest names for one that means nothing."""
    bespoke = engine.registry.bespoke_entries()
    module = _module_of(name, bespoke)
    if module is not None:
        architectures = tuple(dict.fromkeys(e.architecture for e in engine.registry.entries_of(module)))
        return BespokeModel(module, architectures, whole=True)
    for architecture in _architectures_of(engine, sources, name):
        entry = next((e for e in bespoke if e.architecture == architecture), None)
        if entry is not None and entry.module is not None:
            return BespokeModel(entry.module, (architecture,), whole=False)
        found = engine.registry.entries(architecture)
        if found and found[0].dictionary != TRANSFORMERS_BACKEND:
            return ServedOtherwise(architecture, found[0])
    _refuse_out_of_reach(engine, sources, name)
    for source in sources:
        if source.find(name) is not None:
            return ServedOtherwise(name, None)
    raise WrongUse(f"unknown model {shown(name)!r}", _nearest(name, engine, sources))


def _refuse_out_of_reach(engine: EngineTree, sources: Iterable[HuggingFaceSource], name: str) -> None:
    """Raise `WrongUse` for a model that the registry has, but not as an entry of its own in a dictionary."""
    added = engine.registry.elsewhere
    module = _module_of(name, added)
    architectures = set(_architectures_of(engine, sources, name))
    for entry in added:
        if entry.architecture in architectures or (module is not None and entry.module == module):
            raise WrongUse(
                f"the registry adds {entry.architecture} at {entry.location} in a way that is not edited here",
                "Make it an entry of its own in the dictionary it belongs to, between the others, and run again.",
            )


def _module_of(name: str, entries: Iterable[RegistryEntry]) -> str | None:
    stem = name.removesuffix(".py").removesuffix("/__init__").strip("/")
    wanted = {stem, stem.replace("-", "_")}
    if "/" in name:
        # A path from the root, or an absolute one that leads through the models folder.
        _, found, below = stem.rpartition(f"{MODELS_FOLDER}/")
        wanted = {below if found else stem.replace("/", ".")}
    modules = {e.module for e in entries if e.module}
    return next(iter(sorted(wanted & modules)), None)


def _architectures_of(engine: EngineTree, sources: Iterable[HuggingFaceSource], name: str) -> Iterator[str]:
    yield name
    for source in sources:
        for mapping in ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES"):
            architecture = source.auto_mapping(mapping).get(name)
            if architecture:
                yield architecture
    if "/" in name:
        yield from architectures_of_checkpoint(engine.files, name)
    # Retired models are still known by the module they had: its name is the architecture's, without the case.
    plain = name.replace("_", "").replace("-", "").lower()
    for dictionary in engine.registry.dictionaries:
        for entry in dictionary.entries:
            family = entry.architecture.lower().partition("for")[0].removesuffix("lmheadmodel").removesuffix("model")
            if plain in (entry.architecture.lower(), family):
                yield entry.architecture


def _nearest(name: str, engine: EngineTree, sources: Iterable[HuggingFaceSource]) -> str:
    known = {e.module for e in engine.registry.bespoke_entries() if e.module}
    known.update(e.architecture for d in engine.registry.dictionaries for e in d.entries)
    for source in sources:
        known.update(source.auto_mapping("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES"))
    otherwise = (
        "Name a module, an architecture, a Hugging Face model type, a file of the tree, or a checkpoint that the "
        "engine's test registry or its pages of models name."
    )
    if "/" in name:
        known |= known_checkpoints(engine.files)
    return did_you_mean(name, known - {name}, otherwise)
