"""Finds the configuration classes that the engine keeps for itself: they stand before those of Transformers.

Facts of `vllm/transformers_utils/`, vLLM 0.11.2 to 0.33.0: `_CONFIG_REGISTRY` maps a model type to a class, and
`configs/__init__.py` says in which file it is (imports, or `_CLASS_TO_MODULE`).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource
from analyzer.locations import Location, location_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.classes import ClassResolver, ClassSource

CONFIGURATIONS = "vllm/transformers_utils/configs/__init__.py"
_REGISTRY_FILE = "vllm/transformers_utils/config.py"
_REGISTRY = "_CONFIG_REGISTRY"
_MODULES = "_CLASS_TO_MODULE"


@dataclass(frozen=True, slots=True)
class NamedConfiguration:
    """A configuration class that the engine uses for a model type, whoever defines it."""

    name: str
    location: Location


def named_configuration(resolver: ClassResolver, model_type: str) -> NamedConfiguration | None:
    """The class that the engine's registry of configurations names for `model_type`; None where it names none."""
    try:
        registry = resolver.symbols(_REGISTRY_FILE).get(_REGISTRY)
    except UnreadableSource:
        return None
    for name, value in _entries(registry) if isinstance(registry, ast.expr) else ():
        if name == model_type and (text := _name(value)):
            return NamedConfiguration(text, location_of(value, _REGISTRY_FILE))
    return None


def engine_configuration(resolver: ClassResolver, model_type: str) -> ClassSource | None:
    """The engine's own configuration class for `model_type`; None where it has none."""
    named = named_configuration(resolver, model_type)
    try:
        return _configuration_class(resolver, named.name) if named is not None else None
    except UnreadableSource:
        return None


def _entries(registry: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    for keyword in registry.keywords if isinstance(registry, ast.Call) else ():
        if keyword.arg:
            yield keyword.arg, keyword.value
        elif isinstance(keyword.value, ast.Dict):
            for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value


def _name(value: ast.expr) -> str:
    match value:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=text):
            return text
        case _:
            return ""


def _configuration_class(resolver: ClassResolver, name: str) -> ClassSource | None:
    modules = resolver.symbols(CONFIGURATIONS).get(_MODULES)
    if isinstance(modules, ast.Dict):
        for key, value in zip(modules.keys, modules.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == name and isinstance(value, ast.Constant):
                file = f"{str(value.value).replace('.', '/')}.py"
                return resolver.find_class(file, name) if resolver.tree.exists(file) else None
    return resolver.find_class(CONFIGURATIONS, name)
