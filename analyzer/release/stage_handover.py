"""Reads what a decoder's loop gives its layers and takes from them, which a cut into pipeline stages has to carry.

The engine's backend carries hidden states from stage to stage and nothing else; a later stage takes them for the
embedded input, and has no token ids. In place of a layer of another stage stands one that gives back its first
argument (`PPMissingLayer`, vLLM 0.11 to 0.33).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.classes import dotted_name, end_of_dotted_name
from analyzer.source.members import MODULE
from analyzer.source.syntax import assigned, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.source.classes import ClassResolver, ClassSource

_TOKENS = "input_ids"
_INPUT = frozenset({_TOKENS, "inputs_embeds"})
_MAPPINGS = frozenset({"dict", "defaultdict", "UserDict", "OrderedDict"})


@dataclass(frozen=True, slots=True)
class StageHandover:
    """What the loop over the layers carries besides hidden states."""

    taken_apart: Location | None = None
    """Where what a layer gives back is indexed or unpacked: it is no plain tensor."""
    asked: tuple[tuple[str, Location], ...] = ()
    """What the loop asks each layer for, besides to run."""
    made_of_input: tuple[tuple[str, Location], ...] = ()
    """What layers take that is made of the token ids or of the embedded input, besides the hidden states."""
    shared: tuple[tuple[str, Location], ...] = ()
    """Dictionaries that one layer may fill for another."""


def read_stage_handover(resolver: ClassResolver, decoder: ClassSource, lists: Iterable[str]) -> StageHandover:
    """Read the first loop of `decoder`'s forward over the attributes `lists`."""
    forward, names = resolver.method(decoder, "forward"), frozenset(lists)
    if forward is None:
        return StageHandover()
    file = forward.owner.file
    for loop in walk(forward.node):
        if isinstance(loop, ast.For) and any(isinstance(n, ast.Attribute) and n.attr in names for n in walk(loop.iter)):
            calls = list(_layer_calls(loop, names))
            apart = next(_taken_apart(loop, calls), None)
            handed = {name: call for call in reversed(calls) for name in _handed(loop, call)}
            made = _made_of_input(resolver, decoder, forward.node, loop.lineno)
            dictionaries = set(_dictionaries(forward.node, loop.lineno))
            return StageHandover(
                location_of(apart, file) if apart is not None else None,
                tuple((node.attr, location_of(node, file)) for node in _asked(loop)),
                tuple((name, location_of(handed[name], file)) for name in sorted(made & set(handed))),
                tuple((name, location_of(handed[name], file)) for name in sorted(dictionaries & set(handed))),
            )
    return StageHandover()


def _layer_calls(loop: ast.For, lists: frozenset[str]) -> Iterator[ast.Call]:
    """The calls of the loop's own variable, or of an element of the list."""
    variables = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
    for node in walk(loop):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in variables:
                yield node
            case ast.Call(func=ast.Subscript(value=ast.Attribute(attr=attr))) if attr in lists:
                yield node


def _asked(loop: ast.For) -> Iterator[ast.Attribute]:
    """Attributes of the loop's own variable that a module does not have by itself, save those for training."""
    variables = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
    training = {
        id(part)
        for node in walk(loop)
        if isinstance(node, ast.If)
        and any(isinstance(n, ast.Attribute) and n.attr == "training" for n in walk(node.test))
        for statement in node.body
        for part in walk(statement)
    }
    for node in walk(loop):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in variables and id(node) not in training:
                if attr not in MODULE and not attr.startswith("__"):
                    yield node


def _taken_apart(loop: ast.For, calls: list[ast.Call]) -> Iterator[ast.expr | ast.stmt]:
    results: dict[str, ast.Call] = {}
    asked = {
        node.args[0].id
        for node in walk(loop)
        if isinstance(node, ast.Call) and dotted_name(node.func) == "isinstance" and isinstance(node.args[0], ast.Name)
    }
    for node in walk(loop):
        match node:
            case ast.Assign(targets=[ast.Tuple()], value=ast.Call() as call) if call in calls:
                yield node
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if call in calls:
                results[name] = call
            case ast.Subscript(value=ast.Call() as call) if call in calls:
                yield node
    for node in walk(loop):
        match node:
            case ast.Subscript(value=ast.Name(id=name)) if name in results and name not in asked:
                yield node


def _handed(loop: ast.For, call: ast.Call) -> Iterator[str]:
    """The variables in a layer's arguments, and those that these were set from within the loop."""
    values = [*call.args[1:], *(k.value for k in call.keywords if k.arg not in (None, "hidden_states"))]
    # What is called with the embedded input, as rotary embeddings are, may ask for its type and its place alone.
    inside = {id(part) for value in values for n in walk(value) if isinstance(n, ast.Call) for part in walk(n)}
    direct = {n.id for value in values for n in walk(value) if isinstance(n, ast.Name) and id(n) not in inside}
    yield from direct
    for statement in walk(loop):
        if isinstance(statement, ast.stmt):
            name, value = assigned(statement)
            if value is not None and name in direct:
                yield from (node.id for node in walk(value) if isinstance(node, ast.Name))


def _made_of_input(resolver: ClassResolver, decoder: ClassSource, forward: ast.FunctionDef, start: int) -> set[str]:
    made = set(_INPUT)
    statements = [n for n in walk(forward) if isinstance(n, ast.stmt) and n.lineno < start]
    for statement in sorted(statements, key=lambda found: found.lineno):
        name, value = assigned(statement)
        if value is not None and name and _is_made(resolver, decoder, value, made):
            made.add(name)
    return made


def _is_made(resolver: ClassResolver, decoder: ClassSource, value: ast.expr, made: set[str]) -> bool:
    match value:
        case ast.Name(id=name):
            return name in made
        case ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(value=inner, attr="clone"), args=[]):
            return _is_made(resolver, decoder, inner, made)
        case ast.BinOp(left=left, right=right):
            return _is_made(resolver, decoder, left, made) or _is_made(resolver, decoder, right, made)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="clone"), args=[inner, *_]):
            return _is_made(resolver, decoder, inner, made)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=arguments):
            # A method of the decoder may ask the embedded input for no more than its shape.
            own = resolver.method(decoder, name) is not None
            given = {node.id for argument in arguments for node in walk(argument) if isinstance(node, ast.Name)}
            return own and (_TOKENS in given or not given.isdisjoint(made - _INPUT))
    return False


def _dictionaries(forward: ast.FunctionDef, start: int) -> Iterator[str]:
    """The variables that are set to an empty dictionary above line `start`, and filled by nothing there."""
    filled = {
        node.value.id
        for node in walk(forward)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and node.lineno < start
        and isinstance(node.value, ast.Name)
    }
    for statement in walk(forward):
        if isinstance(statement, ast.stmt) and statement.lineno < start:
            name, value = assigned(statement)
            if value is not None and name not in filled and any(_is_empty(part) for part in walk(value)):
                yield name


def _is_empty(node: ast.AST) -> bool:
    match node:
        case ast.Dict(keys=[]):
            return True
        case ast.Call(func=function, args=[], keywords=[]):
            return end_of_dotted_name(function) in _MAPPINGS
    return False
