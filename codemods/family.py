"""The siblings of a model: what else its module serves, and the models whose modules are built on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.bespoke import module_entry_file
from analyzer.engine.model_names import BespokeModel, find_model
from analyzer.uses.references import find_references

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.engine.model_names import NamedModel


def whole_family(engine: EngineTree, models: Sequence[NamedModel]) -> list[NamedModel]:
    """`models` with all architectures of their modules, and every module that imports one of these, and so on."""
    modules = {module_entry_file(engine, m): m for m in _served_modules(engine)}
    family: dict[str, NamedModel] = {}
    waiting = list(models)
    while waiting:
        model = waiting.pop(0)
        if not isinstance(model, BespokeModel):
            family.setdefault(model.architecture, model)
        elif model.module not in family:
            family[model.module] = find_model(engine, (), model.module)
            users = {reference.location.file for reference in find_references(engine.files, [model.module])}
            waiting.extend(find_model(engine, (), modules[user]) for user in sorted(users & modules.keys()))
    return list(family.values())


def _served_modules(engine: EngineTree) -> tuple[str, ...]:
    return tuple(dict.fromkeys(e.module for e in engine.registry.bespoke_entries() if e.module is not None))
