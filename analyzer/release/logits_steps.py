"""Reads the statements of a head's forward by which hidden states become the logits that it returns."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from analyzer.source.syntax import assigned, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LOGITS = "logits"


@dataclass(frozen=True, slots=True)
class LogitsStep:
    """A statement that gives a variable a value, changes it in place, or returns it."""

    statement: ast.stmt
    target: str
    """The variable; empty where the value is returned."""
    value: ast.expr
    in_place: bool = False
    """Only part of the variable is set: what `value` is says nothing of what it was."""
    makes_logits: bool = False
    """The value comes from the output projection and ends in what is returned as logits."""
    is_projected: bool = False
    """The value ends in what the output projection takes."""


def read_logits_steps(forward: ast.FunctionDef, projection: str) -> tuple[LogitsStep, ...]:
    """The steps of `forward` in order; `projection` is the attribute that projects to the vocabulary."""
    steps = [step for statement in _statements(forward.body) for step in _steps(statement)]
    made: set[str] = set()
    from_projection = []
    for step in steps:
        names = set(_names(step.value))
        from_projection.append(projection in names or not made.isdisjoint(names) or step.target in made)
        if from_projection[-1]:
            made.add(step.target)
    returned, projected = _returned(steps, made), _projected(steps, projection)
    return tuple(
        replace(step, makes_logits=comes and goes, is_projected=hidden)
        for step, comes, goes, hidden in zip(steps, from_projection, returned, projected, strict=True)
    )


def _returned(steps: Sequence[LogitsStep], made: set[str]) -> list[bool]:
    """Whether what each step makes is returned as logits. Where no return tells, all that was made may be."""
    wanted = set() if any(not step.target for step in steps) else set(made)
    found = []
    for step in reversed(steps):
        found.append(not step.target or step.target in wanted)
        if found[-1]:
            wanted.update(made.intersection(_names(step.value)))
    return found[::-1]


def _projected(steps: Sequence[LogitsStep], projection: str) -> list[bool]:
    """Whether what each step makes is what the projection takes."""
    taken: set[str] = set()
    found = []
    for step in reversed(steps):
        found.append(step.target in taken)
        if found[-1]:
            taken.update(_sources(step.value))
        for node in walk(step.value):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) if name == projection:
                    taken.update(source for argument in node.args for source in _sources(argument))
    return found[::-1]


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements in order, into the branches of an `if`; what only a loss needs is left out."""
    for statement in body:
        if isinstance(statement, ast.If):
            if not any(isinstance(n, ast.Name) and n.id == "labels" for n in walk(statement.test)):
                yield from _statements(statement.body)
                yield from _statements(statement.orelse)
        else:
            yield statement


def _steps(statement: ast.stmt) -> Iterator[LogitsStep]:
    target, value = assigned(statement)
    match statement:
        case _ if value is not None:
            yield LogitsStep(statement, target, value)
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=given):
            yield LogitsStep(statement, name, given, in_place=True)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))) as call):
            yield LogitsStep(statement, name, call)
        case ast.Return(value=ast.Call(keywords=keywords)) if given_logits := [
            k.value for k in keywords if k.arg == _LOGITS
        ]:
            yield LogitsStep(statement, "", given_logits[0])
        case ast.Return(value=ast.Name() | ast.Attribute() | ast.Subscript() | ast.BinOp() | ast.Tuple() as returned):
            for part in returned.elts if isinstance(returned, ast.Tuple) else [returned]:
                yield LogitsStep(statement, "", part)
        case ast.Return(value=ast.Call() as returned):
            yield LogitsStep(statement, "", returned)


def _names(value: ast.expr) -> Iterator[str]:
    """The variables of an expression, and the attributes of `self` that it calls."""
    for node in walk(value):
        match node:
            case ast.Name(id=name):
                yield name
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                yield name


def _sources(value: ast.expr) -> Iterator[str]:
    """The variables whose values an expression carries on: not those that pick positions, nor what a module takes."""
    match value:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(value=inner) | ast.Subscript(value=inner):
            yield from _sources(inner)
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            yield from (*_sources(left), *_sources(right))
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"))):
            return
        case ast.Call(func=function, args=arguments):
            carried = [function.value, *arguments] if isinstance(function, ast.Attribute) else arguments
            yield from (name for argument in carried for name in _sources(argument))
