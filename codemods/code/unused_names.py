"""Finds what of a file's top level was used only by what has been cut out of it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from codemods.code.dead_code import bound_names
from codemods.code.dead_expressions import ItemCut, StatementCut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from codemods.code.dead_expressions import Cut

WORD = re.compile(r"[A-Za-z_]\w*")


def unused_cuts(before: ast.Module, after: ast.Module, used_elsewhere: Callable[[str], bool]) -> Iterator[Cut]:
    """The imports and definitions of `after` that nothing uses any more, and something in `before` did.

    Tests are run by their name, and fixtures that no test asks for may be there for everyone: they stay.
    """
    was, used = used_names(before), used_names(after)
    for statement in after.body:
        names = bound_names(statement)
        idle = [name for name in names if name in was and name not in used]
        match statement:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                if idle and len(idle) == len(names):
                    yield StatementCut(statement)
                else:
                    yield from (ItemCut(statement, statement, i) for i, _ in enumerate(aliases) if names[i] in idle)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Assign() | ast.AnnAssign():
                if idle and len(idle) == len(names) and not any(_stays(statement, n, used_elsewhere) for n in names):
                    yield StatementCut(statement)


def used_names(module: ast.Module) -> frozenset[str]:
    """Every name that is read, asked for by a parameter, or written in a string."""
    found: set[str] = set()
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.arg(arg=name):
                found.add(name)
            case ast.Constant(value=str() as text):
                found.update(WORD.findall(text))
    # A definition that only mentions itself, as a recursive function does, is not used by that.
    return frozenset(found)


def _stays(statement: ast.stmt, name: str, used_elsewhere: Callable[[str], bool]) -> bool:
    if name.startswith(("test_", "Test", "pytest_", "__")) or used_elsewhere(name):
        return True
    decorators = getattr(statement, "decorator_list", [])
    return any(isinstance(decorator, ast.Call) and decorator.keywords for decorator in decorators)
