"""Reads how a decoder is laid out for pipeline stages: its children in order of declaration, and where they are used.

The engine's backend cuts the one `nn.ModuleList` of layers into stages; what is declared before it goes to the first
stage and what comes after it to the last (`pipeline_parallel` in `base.py`, vLLM 0.11 to 0.33).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.release.model_modules import MODULE_LISTS, constructors
from analyzer.source.classes import dotted_name
from analyzer.source.syntax import assigned, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.locations import Location
    from analyzer.source.classes import ClassResolver, ClassSource

_LIST = "ModuleList"
_WITHOUT_WEIGHTS = ("Dropout", "RotaryEmbedding", "Identity", "Rotary")
"""Endings of classes that hold no parameters, which the backend keeps on every stage."""


@dataclass(frozen=True, slots=True)
class StageLayout:
    """A decoder class."""

    class_name: str
    children: tuple[str, ...]
    """The attributes that may hold modules, in order of declaration."""
    lists: tuple[str, ...]
    """Those of them that are a list of modules."""
    other_containers: tuple[str, ...]
    """Those of them that hold modules otherwise: `nn.Sequential`, `nn.ModuleDict`."""
    first_used_late: tuple[str, ...]
    """Children with weights that are declared before the list of layers and called after its loop."""
    last_used_early: tuple[str, ...]
    """Children with weights that are declared after the list of layers and called before its loop."""
    done_to_input: tuple[str, ...]
    """What the forward does to the embedded input before the loop: sums, products, calls of children with weights."""
    location: Location


def read_stage_layout(resolver: ClassResolver, decoder: ClassSource) -> StageLayout:
    """Read the layout of `decoder`."""
    declared = dict(_declared(resolver, decoder))
    children = tuple(declared)
    lists = tuple(
        name
        for name, kind in declared.items()
        if kind.rpartition(".")[2] == _LIST and _holds_weights(resolver, decoder, name)
    )
    position = {name: index for index, name in enumerate(children)}
    middle = position[lists[0]] if lists else len(children)
    weighty = {name for name, kind in declared.items() if not kind.endswith(_WITHOUT_WEIGHTS) and name not in lists}
    before: set[str] = set()
    after: set[str] = set()
    done: tuple[str, ...] = ()
    forward = resolver.method(decoder, "forward")
    if forward is not None and (loops := _loops(forward.node, lists)):
        before, after = _calls_around_loop(forward.node, loops)
        done = tuple(_done_to_input(forward.node, loops[0].lineno, weighty))
    return StageLayout(
        decoder.name,
        children,
        lists,
        tuple(name for name, kind in declared.items() if kind.rpartition(".")[2] in MODULE_LISTS - {_LIST}),
        tuple(n for n in children if n in weighty & after - before and position[n] < middle),
        tuple(n for n in children if n in weighty & before - after and position[n] > middle),
        done,
        decoder.location,
    )


def _declared(resolver: ClassResolver, decoder: ClassSource) -> Iterator[tuple[str, str]]:
    """The attributes set to what a call gives, in order, with the name of what is called."""
    for method in constructors(resolver, decoder):
        for node in walk(method.node):
            match node:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                    called = value.body if isinstance(value, ast.IfExp) else value
                    if isinstance(called, ast.Call):
                        yield name, dotted_name(called.func) or ""


def _holds_weights(resolver: ClassResolver, decoder: ClassSource, name: str) -> bool:
    """Whether a list's elements have parameters, as far as their classes' names tell."""
    kinds: set[str] = set()
    for method in constructors(resolver, decoder):
        for node in walk(method.node):
            match node:
                case ast.Assign(targets=[ast.Attribute(attr=attr)], value=ast.Call(args=[inner])) if attr == name:
                    kinds.update(_called(inner))
                case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=attr), attr="append"), args=[inner]):
                    kinds.update(_called(inner) if attr == name else ())
    return not kinds or not all(kind.endswith(_WITHOUT_WEIGHTS) for kind in kinds)


def _called(node: ast.expr) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, ast.Call) and (kind := dotted_name(part.func)) is not None and kind[:1].isupper():
            yield kind


def _loops(forward: ast.FunctionDef, lists: tuple[str, ...]) -> list[ast.For]:
    return [n for n in walk(forward) if isinstance(n, ast.For) and _goes_over(n.iter, lists)]


def _calls_around_loop(forward: ast.FunctionDef, loops: list[ast.For]) -> tuple[set[str], set[str]]:
    before: set[str] = set()
    after: set[str] = set()
    start, end = loops[0].lineno, loops[-1].end_lineno or loops[-1].lineno
    for node in walk(forward):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), lineno=line):
                if line < start:
                    before.add(name)
                elif line > end:
                    after.add(name)
    return before, after


def _goes_over(node: ast.expr, lists: tuple[str, ...]) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in lists for part in walk(node))


def _done_to_input(forward: ast.FunctionDef, start: int, weighty: set[str]) -> Iterator[str]:
    """What is made of the embedded input above line `start`, save aliases and children without weights."""
    made = {"inputs_embeds"}
    statements = [n for n in walk(forward) if isinstance(n, ast.stmt) and n.lineno < start]
    for statement in sorted(statements, key=lambda found: found.lineno):
        name, value = assigned(statement)
        if value is not None and not made.isdisjoint(_operands(value)):
            if isinstance(value, ast.BinOp) or _child(value) in weighty:
                yield ast.unparse(statement)
            made.add(name)


def _operands(value: ast.expr) -> Iterator[str]:
    """The variables that a value is, adds up or multiplies, or hands to a child first."""
    match value:
        case ast.Name(id=name):
            yield name
        case ast.BinOp(left=left, right=right):
            yield from (*_operands(left), *_operands(right))
        case ast.Call(args=[first, *_]) if _child(value):
            yield from _operands(first)


def _child(value: ast.expr) -> str:
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
            return name
    return ""
