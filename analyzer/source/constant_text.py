"""Reads the texts that an expression spells from constants: sums, f-strings, `%`, `format`, and names bound to one."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.source.syntax import assigned, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

UNKNOWN = "\0"
"""Stands in a text for what only a run could tell."""
LONGEST = 10_000
"""A text that a name is bound to: no path or architecture is as long, and sums of sums of it double with each line."""


def bound_texts(module: ast.Module) -> dict[str, str]:
    """The names that the file binds to one text alone, and the text."""
    found: dict[str, str] = {}
    several: set[str] = set()
    for node in walk(module):
        name, value = assigned(node) if isinstance(node, ast.stmt) else ("", None)
        text = text_of(value, found) if name and value is not None else UNKNOWN
        text = text if len(text) <= LONGEST else UNKNOWN
        if name and found.setdefault(name, text) != text:
            several.add(name)
    return {name: text for name, text in found.items() if name not in several and UNKNOWN not in text}


def text_of(node: ast.expr, bound: Mapping[str, str]) -> str:
    """The text that `node` spells, with `UNKNOWN` for each part that is not known, or for all where it is too deep."""
    try:
        return _text_of(node, bound)
    except RecursionError:
        return UNKNOWN


def _text_of(node: ast.expr, bound: Mapping[str, str]) -> str:
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Name(id=name):
            return bound.get(name, UNKNOWN)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text_of(left, bound) + _text_of(right, bound)
        case ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Mod(), right=right):
            return _filled(text.split("%s"), right.elts if isinstance(right, ast.Tuple) else [right], bound)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="format"), args=given):
            return _filled(text.split("{}"), given, bound)
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str() as text), attr="join"),
            args=[ast.List(elts=parts) | ast.Tuple(elts=parts)],
        ):
            return text.join(_text_of(part, bound) for part in parts)
        case ast.JoinedStr(values=parts):
            return "".join(_text_of(part, bound) for part in parts)
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return _text_of(value, bound)
        case _:
            return UNKNOWN


def _filled(pieces: Sequence[str], given: Sequence[ast.expr], bound: Mapping[str, str]) -> str:
    """What stands between the places of a template, with what each place is given."""
    if len(pieces) != len(given) + 1:
        return UNKNOWN
    texts = [_text_of(value, bound) for value in given]
    return "".join(piece + text for piece, text in zip(pieces, [*texts, ""], strict=True))


def spelled_texts(module: ast.Module, bound: Mapping[str, str]) -> Iterator[tuple[ast.expr, str]]:
    """Every text that the file spells, each whole and once, with the expression. Documentation spells nothing."""
    told = {id(node.value) for node in walk(module) if isinstance(node, ast.Expr)}
    for node in walk(module):
        if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp | ast.Call) and id(node) not in told:
            text = text_of(node, bound)
            if text.strip(UNKNOWN):
                told.update(id(part) for part in _parts(node))
                yield node, text
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                # Nothing of a sum is known, so nothing of its parts: a long one is not followed once for each of them.
                told.update(id(part) for part in _parts(node))


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """What `text_of` takes together to a text, on all levels."""
    waiting = _inner(node)
    while waiting:
        part = waiting.pop()
        yield part
        waiting += _inner(part)


def _inner(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            return [left, right]
        case ast.Call(func=ast.Attribute(value=template), args=given):
            return [template, *given]
        case ast.Tuple(elts=inner) | ast.List(elts=inner) | ast.JoinedStr(values=inner):
            return list(inner)
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return [value]
        case _:
            return []
