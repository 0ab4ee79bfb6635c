"""Finds the configuration fields behind an expression of a module, through local names and attributes of `self`."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from analyzer.source.classes import dotted_name
from analyzer.source.syntax import kept_with, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

DEEPEST = 4
"""Attributes and local names followed from one to the next; real chains are below three."""


@dataclass(frozen=True, slots=True)
class ValueSource:
    """Where a value comes from."""

    source: str
    fields: tuple[str, ...]
    """The configuration fields that it is made of."""
    compared: tuple[str, ...]
    """Strings that decide about it, such as the `sliding_attention` of a layer's type."""
    computed: bool
    """It is calculated with on its way, not handed on as it stands."""
    number: bool
    """It is a number that the source writes down."""


def value_source(value: ast.expr, place: ast.FunctionDef, constructors: tuple[ast.FunctionDef, ...]) -> ValueSource:
    """What is behind `value`, an expression of the function `place` of a class with these constructors."""
    reached = list(_reached(value, place, constructors, 0))
    return ValueSource(
        source=ast.unparse(value),
        fields=tuple(dict.fromkeys(field for part in reached for field in fields_read(part))),
        compared=tuple(dict.fromkeys(text for part in reached for text in _compared(part))),
        computed=any(_calculates(part) for part in reached if not isinstance(part, ast.Compare | ast.BoolOp)),
        number=any(_is_number(part) for part in reached),
    )


def fields_read(node: ast.AST) -> Iterator[str]:
    """The fields that the code below `node` reads of something called `config`."""
    for part in walk(node):
        match part:
            case ast.Attribute(value=owner, attr=field) if (dotted_name(owner) or "").endswith("config"):
                yield field
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str() as field), *_]):
                if (dotted_name(owner) or "").endswith("config"):
                    yield field


def _reached(
    value: ast.expr, place: ast.FunctionDef, constructors: tuple[ast.FunctionDef, ...], depth: int
) -> Iterator[ast.expr]:
    """The expression and those that its local names and attributes of `self` were assigned from."""
    yield value
    if depth >= DEEPEST:
        return
    for node in walk(value):
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr=attribute) if not attribute.endswith("config"):
                for constructor in constructors:
                    for assigned in _assigned(constructor, f"self.{attribute}"):
                        yield from _reached(assigned, constructor, constructors, depth + 1)
            case ast.Name(id=name, ctx=ast.Load()) if name != "self" and not name.endswith("config"):
                for assigned in _assigned(place, name):
                    if assigned is not value:
                        yield from _reached(assigned, place, constructors, depth + 1)


def _assigned(function: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    """What `name` is assigned from, and the conditions that this stands under."""
    yield from kept_with(function, "assignments", partial(_assignments, function)).get(name, ())


def _assignments(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    found: defaultdict[str, list[ast.expr]] = defaultdict(list)
    for statement, conditions in _statements(function.body, ()):
        match statement:
            case ast.Assign(targets=targets, value=value):
                for name in {name for target in targets if (name := dotted_name(target))}:
                    found[name] += (value, *conditions)
            case ast.AnnAssign(target=target, value=ast.expr() as value) if name := dotted_name(target):
                found[name] += (value, *conditions)
    return dict(found)


def _statements(
    body: list[ast.stmt], conditions: tuple[ast.expr, ...]
) -> Iterator[tuple[ast.stmt, tuple[ast.expr, ...]]]:
    for statement in body:
        yield statement, conditions
        inner = (*conditions, statement.test) if isinstance(statement, ast.If) else conditions
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, name, []), inner)


def _compared(expression: ast.expr) -> Iterator[str]:
    for node in walk(expression):
        if isinstance(node, ast.Compare):
            for part in walk(node):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def _is_number(expression: ast.expr) -> bool:
    match expression:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case _:
            return False


def _calculates(expression: ast.expr) -> bool:
    """Whether a new value is made; choosing one, slicing and looking up in a dictionary do not count."""
    match expression:
        case ast.IfExp(body=body, orelse=orelse):
            return _calculates(body) or _calculates(orelse)
        case ast.Call(func=ast.Name(id="getattr") | ast.Attribute(attr="get")):
            return False
        case ast.BinOp() | ast.Call():
            return True
        case _:
            return False
