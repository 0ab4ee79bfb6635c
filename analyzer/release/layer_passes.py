"""Reads how a decoder's forward goes over its layers: the engine keeps one cache for each, and cuts them in order."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.classes import dotted_name
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.source.classes import ClassResolver, ClassSource

_REPEATS = frozenset({"cycle", "repeat"})


@dataclass(frozen=True, slots=True)
class LayerPasses:
    """How often and in which order the layers run, where it is otherwise than once and as declared."""

    again: Location | None = None
    """A loop that runs layers a second time."""
    reordered: Location | None = None
    """A loop that runs layers in another order."""


def read_layer_passes(resolver: ClassResolver, decoder: ClassSource, lists: Iterable[str]) -> LayerPasses:
    """Read the loops of `decoder`'s forward over the attributes `lists`."""
    forward = resolver.method(decoder, "forward")
    if forward is None:
        return LayerPasses()
    file, names = forward.owner.file, frozenset(lists)
    again = next(_again(forward.node.body, names, inside=False), None)
    loops = (loop for loop in walk(forward.node) if isinstance(loop, ast.For) and _mentions(loop.iter, names))
    reordered = next((loop for loop in loops if _is_reordered(loop.iter)), None)
    return LayerPasses(
        location_of(again, file) if again is not None else None,
        location_of(reordered, file) if reordered is not None else None,
    )


def _again(body: Iterable[ast.stmt], lists: frozenset[str], *, inside: bool) -> Iterator[ast.stmt]:
    """The loops over a list that stand within another loop, or name a list more than once."""
    for statement in body:
        match statement:
            case ast.For(iter=over) if _mentions(over, lists):
                if inside or _repeats(over, lists):
                    yield statement
            case ast.For(body=inner) | ast.While(body=inner):
                yield from _again(inner, lists, inside=True)
            case ast.If(body=inner, orelse=other):
                yield from _again([*inner, *other], lists, inside=inside)
            case ast.With(body=inner):
                yield from _again(inner, lists, inside=inside)


def _mentions(over: ast.expr, lists: frozenset[str]) -> list[ast.expr]:
    """Where the iterated expression takes a list; to ask for its length is not to go over it."""
    lengths = {id(part) for node in walk(over) if _is_length(node) for part in walk(node)}
    return [
        node
        for node in walk(over)
        if isinstance(node, ast.Attribute) and node.attr in lists and id(node) not in lengths
    ]


def _is_length(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func) == "len"


def _repeats(over: ast.expr, lists: frozenset[str]) -> bool:
    taken = [ast.unparse(node) for node in _mentions(over, lists)]
    whole = isinstance(over, ast.List | ast.BinOp) or _called(over) == "chain"
    multiplied = isinstance(over, ast.BinOp) and isinstance(over.op, ast.Mult)
    return (whole and len(taken) > len(set(taken))) or multiplied or _called(over) in _REPEATS


def _is_reordered(over: ast.expr) -> bool:
    return any(
        _called(node) in ("reversed", "sorted") or (isinstance(node, ast.Slice) and _is_negative(node.step))
        for node in walk(over)
    )


def _is_negative(step: ast.expr | None) -> bool:
    return isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub)


def _called(node: ast.AST) -> str:
    name = dotted_name(node.func) if isinstance(node, ast.Call) else None
    return (name or "").rpartition(".")[2]
