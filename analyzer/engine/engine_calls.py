"""Reads which layers and operators of the engine a hand-written class calls, and the backend's files mention."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.release.field_sources import ValueSource, value_source
from analyzer.source.classes import ClassResolver, ImportedName, dotted_name
from analyzer.source.syntax import every, kept_with, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from analyzer.engine.bespoke_parts import BespokePart

TORCH_OPERATORS = "torch.ops"
_LAYERS_WITH_SETTINGS = ("Attention", "LogitsProcessor")
"""Endings of the layers whose arguments say how attention and logits are computed."""


@dataclass(frozen=True, slots=True)
class EngineCall:
    """A call of something that the engine has outside its models folder."""

    name: str
    module: str
    """Where it is imported from: `vllm.model_executor.layers.linear`, `vllm._custom_ops`, `torch.ops` …"""
    arguments: tuple[tuple[str, ValueSource], ...]
    """The keywords of attention layers and logits processors; of others none are read."""
    location: Location

    def argument(self, name: str) -> ValueSource | None:
        """What is given for the keyword `name`."""
        return next((value for keyword, value in self.arguments if keyword == name), None)


@dataclass(frozen=True, slots=True)
class EngineNames:
    """What the backend's own files mention."""

    names: frozenset[str]
    """Every identifier."""
    modules: frozenset[str]
    """The engine's modules that they import from."""


def read_engine_calls(resolver: ClassResolver, parts: Iterable[BespokePart]) -> tuple[EngineCall, ...]:
    """Every such call, each name once a part."""
    return tuple(call for part in parts for call in _kept_calls(resolver, part))


def _kept_calls(resolver: ClassResolver, part: BespokePart) -> tuple[EngineCall, ...]:
    return kept_with(part.node, "engine_calls", lambda: tuple(_calls(resolver, part)))


def _calls(resolver: ClassResolver, part: BespokePart) -> Iterator[EngineCall]:
    symbols = resolver.symbols(part.file)
    constructors = tuple(
        statement
        for statement in (part.node.body if isinstance(part.node, ast.ClassDef) else ())
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__"
    )
    seen: set[str] = set()
    for node in every(part.node, ast.Call):
        if (called := dotted_name(node.func)) is None:
            continue
        head, _, rest = called.partition(".")
        symbol = symbols.get(head)
        if called.startswith(f"{TORCH_OPERATORS}."):
            name, module = called, TORCH_OPERATORS
        elif isinstance(symbol, ImportedName) and symbol.module.partition(".")[0] == "vllm" and not symbol.level:
            module = f"{symbol.module}.{symbol.name}" if rest and symbol.name.islower() else symbol.module
            name = rest if rest and symbol.name.islower() else symbol.name
        else:
            continue
        if name in seen:
            continue
        seen.add(name)
        arguments: tuple[tuple[str, ValueSource], ...] = ()
        if name.endswith(_LAYERS_WITH_SETTINGS) and constructors:
            given = [(k.arg, k.value) for k in node.keywords if k.arg and not _is_none(k.value)]
            arguments = tuple((name, value_source(value, constructors[0], constructors)) for name, value in given)
        yield EngineCall(name, module, arguments, location_of(node, part.file))


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def read_engine_names(trees: Mapping[str, ast.Module]) -> EngineNames:
    """The identifiers of these files, and the engine's modules that they import from."""
    names: set[str] = set()
    modules: set[str] = set()
    for node in (node for tree in trees.values() for node in walk(tree)):
        match node:
            case ast.ImportFrom(module=str() as module, names=imported):
                names.update(alias.name for alias in imported)
                if module.partition(".")[0] == "vllm":
                    modules.add(module)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                names.add(name)
    return EngineNames(frozenset(names), frozenset(modules))
