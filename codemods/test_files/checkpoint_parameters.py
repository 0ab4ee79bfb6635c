"""Finds the test parameters that are about a checkpoint which is gone.

Where a file is not about models, a checkpoint is only what something else is tried on. Of all that names it there only
an item among others can go: a parameter of a test, an entry of a constant. The rest wants another checkpoint.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.source.classes import dotted_name
from codemods.code.cuts import without
from codemods.code.dead_expressions import ItemCut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.code.python_text import PythonText

PARAMETERS = {"parametrize": "argvalues", "fixture": "params"}
"""What a test or fixture is decorated with, and the argument that has a value for each run."""


def without_parameters(source: PythonText, checkpoints: frozenset[str]) -> PythonText:
    """The text without the parameters that are about `checkpoints`. Raises `BrokenEdit`, `UnreadableSource`."""
    while (shorter := _one_less(source, checkpoints)) is not None:
        source = shorter
    return source


def _one_less(source: PythonText, checkpoints: frozenset[str]) -> PythonText | None:
    cuts = list(parameter_cuts(source.module, checkpoints))
    return next(filter(None, (without(source, cut) for cut in cuts)), None)


def parameter_cuts(module: ast.Module, checkpoints: frozenset[str]) -> Iterator[ItemCut]:
    """The items that can go, each of which leaves others beside it."""
    keys: list[ItemCut] = []
    for statement, value in _values(module):
        for cut in _cuts(statement, value, checkpoints):
            if isinstance(cut.container, ast.Dict):
                keys.append(cut)
            else:
                yield cut
    # What a dictionary has for a checkpoint is looked up by whatever still runs on it.
    counts = [text for node in ast.walk(module) for text in _texts(node, checkpoints)]
    in_keys = [text for cut in keys for node in ast.walk(_item(cut)) for text in _texts(node, checkpoints)]
    if len(counts) == len(in_keys):
        yield from keys


def _values(module: ast.Module) -> Iterator[tuple[ast.stmt, ast.expr]]:
    """The parameters of tests and fixtures, and the constants of the file and its classes."""
    bodies = [module.body, *(node.body for node in ast.walk(module) if isinstance(node, ast.ClassDef))]
    for statement in (statement for body in bodies for statement in body):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            yield statement, statement.value
        for decorator in getattr(statement, "decorator_list", ()):
            if isinstance(decorator, ast.Call):
                yield from ((statement, value) for value in _parameters(decorator))


def _parameters(decorator: ast.Call) -> Iterator[ast.expr]:
    keyword = PARAMETERS.get((dotted_name(decorator.func) or "").rpartition(".")[2])
    if keyword is not None:
        yield from decorator.args[1:2]
        yield from (k.value for k in decorator.keywords if k.arg == keyword)


def _cuts(statement: ast.stmt, display: ast.expr, checkpoints: frozenset[str]) -> Iterator[ItemCut]:
    match display:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            about = [_is_about(item, checkpoints) for item in items]
            goes = any(about) and not all(about) and not any(map(_is_option, items))
        case ast.Dict(keys=keys, values=items):
            about = [_is_about(part, checkpoints) for part in items]
            about = [a or (k is not None and _is_about(k, checkpoints)) for a, k in zip(about, keys, strict=True)]
            goes = any(about) and not all(about)
        case _:
            return
    for index, item in enumerate(items):
        if about[index] and goes:
            yield ItemCut(statement, display, index)
        elif not about[index] and isinstance(display, ast.Dict):
            yield from _cuts(statement, item, checkpoints)


def _is_about(item: ast.expr, checkpoints: frozenset[str]) -> bool:
    """Whether one item is or holds a checkpoint; a list that holds one may hold others as well."""
    if isinstance(item, ast.List | ast.Set | ast.Dict):
        return False
    return any(True for node in ast.walk(item) for _ in _texts(node, checkpoints))


def _is_option(item: ast.expr) -> bool:
    """Whether a list is a command line."""
    return isinstance(item, ast.Constant) and isinstance(item.value, str) and item.value.startswith("-")


def _item(cut: ItemCut) -> ast.expr:
    assert isinstance(cut.container, ast.Dict)  # noqa: S101 - only entries are looked up
    key = cut.container.keys[cut.index]
    return ast.Tuple([part for part in (key, cut.container.values[cut.index]) if part is not None], ast.Load())


def _texts(node: ast.AST, checkpoints: frozenset[str]) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in checkpoints:
        yield node.value
