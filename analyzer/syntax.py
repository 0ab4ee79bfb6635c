"""What many readers ask of syntax trees. What a walk found is kept with the node, for the next one who asks."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEPT = "nodes_below"


def walk(node: ast.AST) -> tuple[ast.AST, ...]:
    """The node and all below it in the order of `ast.walk`, which is three times slower and forgets."""
    known = node.__dict__.get(_KEPT)
    if known is not None:
        return known  # type: ignore[no-any-return]
    found: list[ast.AST] = [node]
    for current in found:
        for value in current.__dict__.values():
            if isinstance(value, ast.AST):
                found.append(value)
            elif type(value) is list:
                found.extend(part for part in value if isinstance(part, ast.AST))
    nodes = tuple(found)
    node.__dict__[_KEPT] = nodes
    return nodes


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
