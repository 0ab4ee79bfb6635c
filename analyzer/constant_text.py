"""Reads the texts that an expression spells from constants: sums, f-strings, and names that the file binds to one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.syntax import assigned, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

UNKNOWN = "\0"
"""Stands in a text for what only a run could tell."""


def bound_texts(module: ast.Module) -> dict[str, str]:
    """The names that the file binds to one text alone, and the text."""
    found: dict[str, str] = {}
    several: set[str] = set()
    for node in walk(module):
        name, value = assigned(node) if isinstance(node, ast.stmt) else ("", None)
        text = text_of(value, found) if name and value is not None else UNKNOWN
        if name and found.setdefault(name, text) != text:
            several.add(name)
    return {name: text for name, text in found.items() if name not in several and UNKNOWN not in text}


def text_of(node: ast.expr, bound: Mapping[str, str]) -> str:
    """The text that `node` spells, with `UNKNOWN` for each part that is not known."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name):
            return bound.get(name, UNKNOWN)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return text_of(left, bound) + text_of(right, bound)
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part, bound) for part in parts)
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return text_of(value, bound)
        case _:
            return UNKNOWN


def spelled_texts(module: ast.Module, bound: Mapping[str, str]) -> Iterator[tuple[ast.expr, str]]:
    """Every text that the file spells, each whole and once, with the expression. Documentation spells nothing."""
    told = {id(node.value) for node in walk(module) if isinstance(node, ast.Expr)}
    for node in walk(module):
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp) and id(node) not in told:
            text = text_of(node, bound)
            if text.strip(UNKNOWN):
                told.update(id(part) for part in _parts(node))
                yield node, text


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """What `text_of` takes together to a text."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            inner = [left, right]
        case ast.JoinedStr(values=inner):
            pass
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            inner = [value]
        case _:
            return
    for part in inner:
        yield part
        yield from _parts(part)
