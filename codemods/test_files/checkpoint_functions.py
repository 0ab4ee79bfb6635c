"""Takes out of a file that is not about models what it has for a checkpoint that is gone, and nothing else needs.

That is a function which is one entry among others of what the file looks up, as examples have one for each model, and
a fixture that prepares the checkpoint for every test and gives none of them anything.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from codemods.code.cuts import without
from codemods.code.dead_code import find_cuts, is_autouse
from codemods.code.dead_expressions import Dead, ItemCut, StatementCut
from codemods.code.needed_code import items_that_use

if TYPE_CHECKING:
    from collections.abc import Callable

    from codemods.code.dead_expressions import Cut
    from codemods.code.python_text import PythonText


def without_functions(source: PythonText, checkpoints: frozenset[str], needed: Callable[[str], bool]) -> PythonText:
    """The text without such functions and their entries; what other files need, as `needed` says of a name, stays.

    Raises `BrokenEdit`, `UnreadableSource`.
    """
    tried: set[str] = set()
    while (function := _next(source.module, checkpoints, tried)) is not None:
        tried.add(function.name)
        if not needed(function.name):
            source = _without(source, function) or source
    return source


def _next(module: ast.Module, checkpoints: frozenset[str], tried: set[str]) -> ast.FunctionDef | None:
    for cut in find_cuts(module, _dead(texts=checkpoints)):
        if (
            isinstance(cut, StatementCut)
            and isinstance(cut.statement, ast.FunctionDef)
            and cut.statement in module.body
        ):
            name = cut.statement.name
            if name not in tried and not name.startswith("test"):
                return cut.statement
    return None


def _without(source: PythonText, function: ast.FunctionDef) -> PythonText | None:
    if is_autouse(function):
        return without(source, StatementCut(function)) if _gives_nothing(function) else None
    if not items_that_use(frozenset({function.name}), function, source.module):
        return None
    shorter = without(source, StatementCut(function))
    while shorter is not None and (cut := _first_item(shorter.module, function.name)) is not None:
        shorter = without(shorter, cut)
    return shorter


def _first_item(module: ast.Module, name: str) -> Cut | None:
    return next((cut for cut in find_cuts(module, _dead(names=frozenset({name}))) if isinstance(cut, ItemCut)), None)


def _gives_nothing(function: ast.FunctionDef) -> bool:
    given = [node for node in ast.walk(function) if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom)]
    return all(node.value is None for node in given)


def _dead(texts: frozenset[str] = frozenset(), names: frozenset[str] = frozenset()) -> Dead:
    return Dead(texts, frozenset(), names, "", takes_functions=True, about_models=True)
