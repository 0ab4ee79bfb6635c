"""Judges whether a piece of a file may go that is about a model, or whether what stays needs it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from codemods.code.dead_code import bound_names, find_cuts
from codemods.code.dead_expressions import Dead, ItemCut, StatementCut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from codemods.code.dead_expressions import Cut

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


def may_go(cut: Cut, module: ast.Module, dead: Dead, needed: Callable[[str], bool]) -> bool:
    """Whether nothing that stays needs what `cut` takes away.

    In a file about models what needs it goes as well; elsewhere only an item that stands among others does.
    """
    if not isinstance(cut, StatementCut) or cut.statement not in module.body or not dead.takes_functions:
        return True
    if isinstance(cut.statement, ast.Import | ast.ImportFrom):
        return True
    names = frozenset(name for name in bound_names(cut.statement) if not name.startswith(("test", "Test")))
    if isinstance(cut.statement, DEFINITIONS) and any(map(needed, names)):
        return False
    if dead.about_models:
        return True
    return isinstance(cut.statement, DEFINITIONS) and items_that_use(names, cut.statement, module) is not None


def items_that_use(names: frozenset[str], definition: ast.stmt, module: ast.Module) -> tuple[ItemCut, ...] | None:
    """The items which alone use what `definition` binds, each of which stands among others; None where more does."""
    others = ast.Module([statement for statement in module.body if statement is not definition], [])
    uses = [node for node in ast.walk(others) if _is_use(node, names)]
    alone = Dead(frozenset(), frozenset(), names, "", takes_functions=True, about_models=True)
    cuts = tuple(cut for cut in find_cuts(others, alone) if isinstance(cut, ItemCut)) if uses else ()
    items = {id(node) for cut in cuts for part in _item(cut) for node in ast.walk(part)}
    return cuts if all(id(node) in items for node in uses) else None


def _is_use(node: ast.AST, names: frozenset[str]) -> bool:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return name in names
    return False


def _item(cut: ItemCut) -> Iterator[ast.AST]:
    match cut.container:
        case ast.Dict(keys=keys, values=values):
            yield from filter(None, (keys[cut.index], values[cut.index]))
        case ast.Call(keywords=keywords):
            yield keywords[cut.index]
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            yield items[cut.index]
