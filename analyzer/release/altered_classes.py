"""Reads where a modeling file makes of a class something else than its class statement says."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.classes import ImportedName, dotted_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.source.classes import ClassResolver, ClassSource

_MODELS = "transformers.models."


@dataclass(frozen=True, slots=True)
class AlteredClass:
    """A class, and the statement or decorator that alters it."""

    name: str
    source: str
    location: Location


def read_altered_classes(resolver: ClassResolver, classes: Iterable[ClassSource]) -> tuple[AlteredClass, ...]:
    """Those among `classes` that their own files alter: an attribute set from outside, a decorator of the models.

    A name that is bound again to what is no class statement is found as no class in the first place.
    """
    wanted: dict[str, dict[str, ClassSource]] = {}
    for source in classes:
        wanted.setdefault(source.file, {})[source.name] = source
    found = []
    for file, sources in wanted.items():
        for statement in _statements(resolver.tree.parse(file).body):
            name = _altered(statement)
            if name in sources:
                found.append(_told(name, statement, file))
        for name, source in sources.items():
            strange = (d for d in source.node.decorator_list if not _is_known(resolver, file, d))
            found.extend(_told(name, decorator, file) for decorator in strange)
    return tuple(found)


def _told(name: str, node: ast.stmt | ast.expr, file: str) -> AlteredClass:
    return AlteredClass(name, ast.unparse(node).partition("\n")[0], location_of(node, file))


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """What runs when the module is imported, into the branches of conditions."""
    for statement in body:
        match statement:
            case ast.If(body=inner, orelse=other) | ast.For(body=inner, orelse=other):
                yield from _statements([*inner, *other])
            case ast.Try(body=inner, handlers=handlers, orelse=other, finalbody=last):
                handled = [line for handler in handlers for line in handler.body]
                yield from _statements([*inner, *handled, *other, *last])
            case ast.With(body=inner):
                yield from _statements(inner)
            case _:
                yield statement


def _altered(statement: ast.stmt) -> str:
    """The name whose attribute a statement sets."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name))]):
            return name
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), *_])):
            return name
    return ""


def _is_known(resolver: ClassResolver, file: str, decorator: ast.expr) -> bool:
    """Whether a decorator comes from a library or from Transformers outside its models: these leave a class alone."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    first = (dotted_name(called) or "").partition(".")[0]
    symbol = resolver.symbols(file).get(first)
    if not isinstance(symbol, ImportedName):
        # `import torch` is no symbol of the file: then what follows the dot is the library's.
        return symbol is None and isinstance(called, ast.Attribute)
    origin = resolver.module_file(file, symbol)
    return origin is None or not origin.replace("/", ".").startswith(_MODELS)
