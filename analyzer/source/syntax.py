"""What many readers ask of syntax trees. What a walk found is kept with the node, for the next one who asks."""

from __future__ import annotations

import ast
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Kept = TypeVar("Kept")
Node = TypeVar("Node", bound=ast.AST)

_KEPT = "nodes_below"
_SORTED = "nodes_by_kind"
_PLAIN = frozenset({"arg", "asname", "attr", "ctx", "id", "kind", "level", "module", "simple", "type_comment"})
"""Fields that hold no node, save `ctx`, which every name has and nobody looks for."""
_HOLES = (ast.Dict, ast.arguments, ast.Global, ast.Nonlocal, ast.MatchMapping, ast.MatchClass)
"""What has lists with something else in them than nodes."""


def _reader(kind: type[ast.AST]) -> Callable[[ast.AST], tuple[object, ...]] | None:
    """What takes the fields of such a node that hold nodes; None where none does."""
    fields = [name for name in kind._fields if name not in _PLAIN]
    if kind is ast.Constant or not fields:
        return None
    # Of one field `attrgetter` makes no tuple: the line number is none of a node's.
    return attrgetter(*fields) if len(fields) > 1 else attrgetter(*fields, "__doc__")


_READERS = {kind: _reader(kind) for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)}


def walk(node: ast.AST) -> tuple[ast.AST, ...]:
    """The node and all below it in the order of `ast.walk`, which is five times slower and forgets.

    Left out are the marks that a name is read or written (`ast.Load` and its like).
    """
    known = node.__dict__.get(_KEPT)
    if known is not None:
        return (node, *known)
    found: list[Any] = [node]
    extend, append = found.extend, found.append
    for current in found:
        read = _READERS[type(current)]
        if read is None:
            continue
        for value in read(current):
            if isinstance(value, list):
                extend(value if type(current) not in _HOLES else [v for v in value if isinstance(v, ast.AST)])
            elif isinstance(value, ast.AST):
                append(value)
    # Kept without the node itself: it would hold itself, and would never be given back.
    node.__dict__[_KEPT] = tuple(found[1:])
    return tuple(found)


def every(node: ast.AST, kind: type[Node]) -> tuple[Node, ...]:
    """Those of `walk` that are of this very kind: a method is asked for its calls by many, for all its nodes by few."""
    known: dict[type[ast.AST], Any] | None = node.__dict__.get(_SORTED)
    if known is None:
        below: defaultdict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        # Without the node itself, as in `walk`.
        for part in walk(node)[1:]:
            below[type(part)].append(part)
        known = node.__dict__[_SORTED] = {kind: tuple(found) for kind, found in below.items()}
    found: tuple[Node, ...] = known.get(kind, ())
    return (node, *found) if type(node) is kind else found


def kept_with(node: ast.AST, name: str, make: Callable[[], Kept]) -> Kept:
    """What `make` gives, made once for each node and `name`: what a class mentions is asked for by many models."""
    known = node.__dict__.get(name)
    if known is None:
        known = node.__dict__[name] = make()
    return known


def assigned_dictionaries(module: ast.Module) -> Iterator[tuple[ast.stmt, str, ast.Dict]]:
    """The dictionaries that top-level statements assign, each with its statement and name."""
    for statement in module.body:
        name, value = assigned(statement)
        if isinstance(value, ast.Dict):
            yield statement, name, value


def assigned(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    """The variable that a statement sets and its value, a sum or product where it is augmented; or nothing."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            return name, value
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
            return name, ast.BinOp(target, op, value)
        case _:
            return "", None
