"""Reads the engine's model registry: which architecture is served by which class of which module.

Facts of `vllm/model_executor/models/registry.py`, vLLM 0.11.2 to 0.33.0.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource
from analyzer.locations import Location, location_of
from analyzer.source.constant_text import UNKNOWN, bound_texts, text_of
from analyzer.source.syntax import assigned_dictionaries, kept_with, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from analyzer.source.source_tree import SourceTree

MODELS_PACKAGE = "vllm.model_executor.models"
REGISTRY_FILE = "vllm/model_executor/models/registry.py"
MERGED = "_VLLM_MODELS"
TRANSFORMERS_SUPPORTED = "_TRANSFORMERS_SUPPORTED_MODELS"
TRANSFORMERS_BACKEND = "_TRANSFORMERS_BACKEND_MODELS"
PREVIOUSLY_SUPPORTED = "_PREVIOUSLY_SUPPORTED_MODELS"
OUT_OF_TREE = "_OOT_SUPPORTED_MODELS"


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """One `key: value` line (or lines) of a registry dictionary."""

    architecture: str
    dictionary: str
    value: tuple[str, ...] | str | None
    """`(module, class)` for a served architecture, a version or an address for one that is gone, else None.

    The module is below the models package (`llama`), however the registry writes that, or absolute."""
    location: Location
    end_line: int

    @property
    def module(self) -> str | None:
        """The module: `llama`, or absolute as in `vllm.models.kimi_k3` where it is not below the models package."""
        return self.value[0] if isinstance(self.value, tuple) and self.value else None

    @property
    def class_name(self) -> str | None:
        """The class that serves the architecture."""
        return self.value[1] if isinstance(self.value, tuple) and len(self.value) > 1 else None


@dataclass(frozen=True, slots=True)
class RegistryDictionary:
    """A top-level dictionary display of the registry."""

    name: str
    location: Location
    end_line: int
    entries: tuple[RegistryEntry, ...]


@dataclass(frozen=True)
class Registry:
    """All dictionaries of the registry, in order, and the names that are merged into the live one."""

    dictionaries: tuple[RegistryDictionary, ...]
    merged: tuple[str, ...]
    elsewhere: tuple[RegistryEntry, ...] = ()
    """What a spread (`**{…}`) or a later statement adds: it counts when the engine runs, and cannot be edited here."""

    def dictionary(self, name: str) -> RegistryDictionary | None:
        """The dictionary called `name`."""
        return next((found for found in self.dictionaries if found.name == name), None)

    def entries(self, architecture: str) -> tuple[RegistryEntry, ...]:
        """Every entry whose key is `architecture`, in whatever dictionary, in order."""
        return tuple(e for d in self.dictionaries for e in d.entries if e.architecture == architecture)

    def live_entries(self) -> tuple[RegistryEntry, ...]:
        """The entries of the dictionaries that are merged into the live registry, in order of merging."""
        by_name = {d.name: d for d in self.dictionaries}
        return tuple(e for name in self.merged if name in by_name for e in by_name[name].entries)

    def pointing_entries(self) -> tuple[RegistryEntry, ...]:
        """Every entry that names a module and a class, whatever dictionary or statement has it."""
        entries = (*(e for d in self.dictionaries for e in d.entries), *self.elsewhere)
        return tuple(e for e in entries if e.module is not None and e.class_name is not None)

    def bespoke_entries(self) -> tuple[RegistryEntry, ...]:
        """The live entries that point at a hand-written modeling file."""
        return self._bespoke

    @cached_property
    def _bespoke(self) -> tuple[RegistryEntry, ...]:
        served = {TRANSFORMERS_SUPPORTED, TRANSFORMERS_BACKEND}
        return tuple(e for e in self.live_entries() if e.dictionary not in served and e.module is not None)

    def entries_of(self, module: str) -> tuple[RegistryEntry, ...]:
        """The live entries that point at the hand-written `module`."""
        return tuple(self._by_module.get(module, ()))

    @cached_property
    def _by_module(self) -> dict[str | None, list[RegistryEntry]]:
        found: defaultdict[str | None, list[RegistryEntry]] = defaultdict(list)
        for entry in self._bespoke:
            found[entry.module].append(entry)
        return found


def read_registry(tree: SourceTree) -> Registry:
    """Read the registry of an engine tree. Raises `UnreadableSource` where it is missing or does not parse."""
    return registry_of(tree.parse(REGISTRY_FILE))


def registry_of(module: ast.Module) -> Registry:
    """The registry that the file's syntax tree holds. Raises `UnreadableSource` where that is none."""
    return kept_with(module, "registry", partial(_registry_of, module))


def _registry_of(module: ast.Module) -> Registry:
    dictionaries: list[RegistryDictionary] = []
    merged: tuple[str, ...] = ()
    bound = bound_texts(module)
    for statement, name, display in assigned_dictionaries(module):
        if name == MERGED:
            pairs = zip(display.keys, display.values, strict=True)
            merged = tuple(v.id for k, v in pairs if k is None and isinstance(v, ast.Name))
        entries = tuple(
            RegistryEntry(
                architecture=key.value,
                dictionary=name,
                value=_value(value, bound),
                location=location_of(key, REGISTRY_FILE),
                end_line=value.end_lineno or value.lineno,
            )
            for key, value in zip(display.keys, display.values, strict=True)
            if isinstance(key, ast.Constant) and isinstance(key.value, str)
        )
        place = location_of(statement, REGISTRY_FILE)
        dictionaries.append(RegistryDictionary(name, place, statement.end_lineno or place.line, entries))
    if not merged:
        raise UnreadableSource(
            f"{REGISTRY_FILE} has no {MERGED} that merges the other dictionaries",
            "Registries of vLLM 0.11 to 0.33 are known; name an older or newer tree's layout in an issue.",
        )
    known = {entry.location for dictionary in dictionaries for entry in dictionary.entries}
    return Registry(tuple(dictionaries), merged, tuple(e for e in _added(module, bound) if e.location not in known))


def _added(module: ast.Module, bound: Mapping[str, str]) -> Iterator[RegistryEntry]:
    """Every key with a `(module, class)` that top-level statements hold, in whatever dictionary or assignment."""
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for node in walk(statement):
            for key, value in _pairs(node):
                named = _value(value, bound)
                if key is not None and isinstance(named, tuple):
                    architecture = text_of(key, bound)
                    if UNKNOWN in architecture:
                        architecture = _source_of(key)
                    place = location_of(key, REGISTRY_FILE)
                    yield RegistryEntry(architecture, "", named, place, value.end_lineno or value.lineno)


def _source_of(key: ast.expr) -> str:
    try:
        return ast.unparse(key)
    except RecursionError:
        return "an expression of hundreds of levels"


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    match node:
        case ast.Dict(keys=keys, values=values):
            yield from zip(keys, values, strict=True)
        case ast.DictComp(key=key, value=value):
            yield key, value
        case ast.Assign(targets=targets, value=value):
            yield from ((target.slice, value) for target in targets if isinstance(target, ast.Subscript))


def _value(node: ast.expr, bound: Mapping[str, str]) -> tuple[str, ...] | str | None:
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            texts = [text_of(part, bound) for part in parts]
            if any(UNKNOWN in text for text in texts):
                return None
            return (*(text.removeprefix(f"{MODELS_PACKAGE}.") for text in texts[:1]), *texts[1:])
        case _:
            text = text_of(node, bound)
            return None if UNKNOWN in text else text
