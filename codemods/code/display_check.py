"""What must hold after items of a Python file's displays were edited, checked on the text that would be written."""

from __future__ import annotations

import ast
import tokenize
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from analyzer.errors import BrokenEdit
from analyzer.source.nesting import follow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.code.python_text import PythonText

Place = tuple[str, str]
"""The name of a display and the key (or element) in it."""


@dataclass(slots=True)
class Intent:
    """All that an edit means to change."""

    removed: set[Place] = field(default_factory=set)
    added: dict[Place, tuple[str, ...] | str] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    """The comments that go."""


def check_displays(before: PythonText, after: PythonText, intent: Intent) -> None:
    """Raise `BrokenEdit` unless the two differ in what is intended alone.

    A comment may come only as the copy of one that the file has already, as a section's heading does. Raises
    `UnreadableSource` where an expression of the file is too deep to be compared.
    """
    with follow(before.file):
        _check(before, after, intent)


def _check(before: PythonText, after: PythonText, intent: Intent) -> None:
    pairs = list(zip(before.module.body, after.module.body, strict=False))
    if len(pairs) != max(len(before.module.body), len(after.module.body)):
        raise _broken(before, "the number of statements")
    for old, edited in pairs:
        if ast.dump(old) != ast.dump(edited):
            _check_display(before, old, edited, intent)
    kept = Counter(_comments(before))
    kept.subtract(text.rstrip() for text in intent.comments)
    extra = Counter(_comments(after))
    extra.subtract(kept)
    if any(count < 0 or (count and kept[text] < 1) for text, count in extra.items()):
        raise _broken(before, "its comments")


def _check_display(before: PythonText, old: ast.stmt, edited: ast.stmt, intent: Intent) -> None:
    (name, had), (new_name, has) = _items(old), _items(edited)
    if not name or name != new_name:
        raise _broken(before, f"the statement in line {old.lineno}")
    known = {key for key, _ in had}
    came = {key: value for key, value in has if key not in known}
    if any((name, key) not in intent.added or value != _dump(intent.added[name, key]) for key, value in came.items()):
        raise _broken(before, f"what {name} holds")
    if [i for i in had if (name, i[0]) not in intent.removed] != [i for i in has if i[0] not in came]:
        raise _broken(before, f"other items of {name}")


def _items(statement: ast.stmt) -> tuple[str, list[Place]]:
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value)
        ):
            pass
        case _:
            return "", []
    match value:
        case ast.Dict(keys=keys, values=values):
            return name, [(_key(k), ast.dump(v)) for k, v in zip(keys, values, strict=True)]
        case ast.List(elts=elements):
            return name, [(_key(element), ast.dump(element)) for element in elements]
        case _:
            return "", []


def _key(node: ast.expr | None) -> str:
    match node:
        case None:
            return "**"
        case ast.Constant(value=str() as text):
            return text
        case _:
            return ast.dump(node)


def _dump(value: tuple[str, ...] | str) -> str:
    return ast.dump(ast.parse(repr(value), mode="eval").body)


def _comments(source: PythonText) -> Iterator[str]:
    for _, _, token in source.tokens(1, source.line_count):
        if token.type == tokenize.COMMENT:
            yield token.string.rstrip()


def _broken(before: PythonText, what: str) -> BrokenEdit:
    return BrokenEdit(f"the edit of {before.file} would change {what}", "Nothing is written; please report this tree.")
