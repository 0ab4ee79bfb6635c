"""Reads which fields a configuration class knows, and their defaults.

Facts of Transformers 4.57 to 5.24: a parameter of `__init__` before 5.0, an annotated class attribute since, an
assignment to `self`, a property, or an `attribute_map` that gives a field a second name.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.release.sub_configurations import sub_configurations
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.classes import ClassResolver, ClassSource


@dataclass(frozen=True, slots=True)
class ConfigurationFields:
    """The fields that a configuration and the configurations inside it know."""

    known: frozenset[str]
    defaults: tuple[tuple[str, object], ...]
    """The fields with a literal default, the outer configuration's before those of its parts."""
    aliases: frozenset[tuple[str, str]]
    """`(second name, field)` of `attribute_map`."""
    used: frozenset[str]
    """Fields from which the configuration makes others, such as the layers' types, and those it makes (properties)."""

    def neutral(self, field: str) -> bool:
        """Whether `field` is off (None, False, 0) by default, or its default cannot be read."""
        return not dict(self.defaults).get(field)

    def names_of(self, field: str) -> frozenset[str]:
        """`field` and what else it is called."""
        return frozenset({field}.union(*(pair for pair in self.aliases if field in pair)))


def read_configuration_fields(resolver: ClassResolver, *configurations: ClassSource) -> ConfigurationFields:
    """The fields of the configurations, each with its bases and its parts."""
    known: set[str] = set()
    defaults: dict[str, object] = {}
    aliases: set[tuple[str, str]] = set()
    used: set[str] = set()
    waiting = list(configurations)
    seen: set[tuple[str, str]] = set()
    while waiting:
        source = waiting.pop(0)
        if (source.file, source.name) in seen:
            continue
        seen.add((source.file, source.name))
        for member in resolver.linearization(source):
            aliases.update(_aliases(member))
            used.update(_used(member))
            for name, value in _fields(member):
                known.add(name)
                if value is not None:
                    _remember(defaults, name, value)
        waiting.extend(part for part in sub_configurations(resolver, source).values() if part is not None)
    return ConfigurationFields(frozenset(known), tuple(defaults.items()), frozenset(aliases), frozenset(used))


def _remember(defaults: dict[str, object], name: str, value: ast.expr) -> None:
    try:
        defaults.setdefault(name, ast.literal_eval(value))
    except (ValueError, TypeError, MemoryError, RecursionError):
        return


def _fields(source: ClassSource) -> Iterator[tuple[str, ast.expr | None]]:
    for statement in source.node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                yield name, value
            case ast.Assign(targets=[ast.Name(id="attribute_map")], value=ast.Dict()):
                yield from ((name, None) for name, _ in _aliases(source))
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        yield target.id, value
            case ast.FunctionDef(name=name):
                yield name, None
                yield from _of_method(statement)


def _used(source: ClassSource) -> Iterator[str]:
    for node in walk(source.node):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()) | ast.FunctionDef(name=name):
                yield name


def _aliases(source: ClassSource) -> Iterator[tuple[str, str]]:
    for statement in source.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="attribute_map")], value=ast.Dict(keys=keys, values=values)):
                for key, value in zip(keys, values, strict=True):
                    match key, value:
                        case ast.Constant(value=str() as name), ast.Constant(value=str() as field):
                            yield name, field


def _of_method(method: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    if method.name == "__init__":
        arguments = method.args
        positional = arguments.posonlyargs + arguments.args
        missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
        for argument, default in zip(positional, missing + list(arguments.defaults), strict=True):
            yield argument.arg, default
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            yield argument.arg, default
    for node in every(method, ast.Attribute):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name, None
