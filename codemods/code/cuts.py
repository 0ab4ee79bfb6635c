"""Cuts pieces out of the text of a Python file, whole lines where it can, and leaves the rest byte for byte."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.errors import BrokenEdit, UnreadableSource
from codemods.code.dead_expressions import BranchCut, ItemCut, StatementCut
from codemods.code.display import display_at
from codemods.registry.comments import comments_of_entry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from codemods.code.dead_expressions import Cut
    from codemods.code.display import Display
    from codemods.code.python_text import PythonText


def without(source: PythonText, cut: Cut) -> PythonText | None:
    """The text without the piece; None where it does not stand so that it can be cut out cleanly.

    Raises `BrokenEdit` where anything else would change.
    """
    try:
        match cut:
            case ItemCut():
                shorter = _without_item(source, cut)
            case StatementCut(statement):
                shorter = without_statement(source, statement)
            case BranchCut(statement):
                shorter = _without_branch(source, statement)
        if shorter is not None:
            _check(source, shorter)
    except UnreadableSource:
        return None
    return shorter


def without_all(source: PythonText, statements: Iterable[ast.stmt]) -> PythonText | None:
    """The text without these statements of its top level; None where one cannot be cut out cleanly.

    Raises `BrokenEdit` where anything else would change.
    """
    shorter: PythonText | None = source
    # From the end, so that what is still to be cut stays where it was.
    for statement in sorted(statements, key=first_line, reverse=True):
        shorter = without_statement(shorter, statement) if shorter is not None else None
    try:
        if shorter is not None:
            _check(source, shorter)
    except UnreadableSource:
        return None
    return shorter


def without_statement(source: PythonText, statement: ast.stmt) -> PythonText | None:
    """The text without a statement, its decorators and the comments right above a definition."""
    first, last = first_line(statement), statement.end_lineno or statement.lineno
    before = source.line(first)[: len(source.line(first)) - len(source.line(first).lstrip())]
    rest = source.text[source.offset_of_node(last, statement.end_col_offset or 0) : source.start_of(last + 1)].strip()
    if len(before.encode()) != statement.col_offset or (rest and not rest.startswith("#")):
        return None
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign):
        while first > 1 and source.line(first - 1).startswith(f"{before}#"):
            first -= 1
    above = _blank_lines(source, first - 1, -1)
    below = _blank_lines(source, last + 1, 1)
    rest_of_file = source.text[source.start_of(last + below + 1) :]
    at_end = not rest_of_file.strip() or _indentation(source, last + below + 1) < len(before)
    if above and (at_end or above < below):
        first -= above
    elif above or first == 1 or _indentation(source, first - 1) < len(before):
        last += below
    return source.spliced(source.start_of(first), source.start_of(last + 1), "")


def first_line(statement: ast.stmt) -> int:
    """The line of a statement or of the first of its decorators."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return min([statement.lineno, *(decorator.lineno for decorator in statement.decorator_list)])
    return statement.lineno


def _blank_lines(source: PythonText, line: int, step: int) -> int:
    count = 0
    while 1 <= line <= source.line_count and not source.line(line).strip() and source.line(line):
        count, line = count + 1, line + step
    return count


def _indentation(source: PythonText, line: int) -> int:
    text = source.line(line)
    return len(text) - len(text.lstrip()) if text.strip() else 0


def _without_item(source: PythonText, cut: ItemCut) -> PythonText | None:
    container = cut.container
    if isinstance(container, ast.Import | ast.ImportFrom) and not _is_bracketed(source, container):
        return _without_alias(source, container, cut.index)
    if isinstance(container, ast.Import):
        return None
    display = display_at(source, "it", first_line(cut.statement), container)
    if isinstance(container, ast.Tuple) and len(display.items) == 2:
        return _without_one_of_two(source, display, cut.index)
    return display.without(cut.index, comments_of_entry(display, cut.index))


def _without_one_of_two(source: PythonText, display: Display, index: int) -> PythonText:
    """A tuple of one item, which is none without a comma."""
    first, second = display.items
    if index == 1:
        return source.spliced(first.end, second.end, "")
    if not second.has_comma:
        source = source.spliced(second.end, second.end, ",")
    return source.spliced(first.start, second.start, "")


def _is_bracketed(source: PythonText, node: ast.Import | ast.ImportFrom) -> bool:
    end = source.offset_of_node(node.end_lineno or node.lineno, node.end_col_offset or 0)
    return source.text[end - 1] == ")"


def _without_alias(source: PythonText, node: ast.Import | ast.ImportFrom, index: int) -> PythonText:
    def start(alias: ast.alias) -> int:
        return source.offset_of_node(alias.lineno, alias.col_offset)

    def end(alias: ast.alias) -> int:
        return source.offset_of_node(alias.end_lineno or alias.lineno, alias.end_col_offset or 0)

    if index + 1 < len(node.names):
        return source.spliced(start(node.names[index]), start(node.names[index + 1]), "")
    return source.spliced(end(node.names[index - 1]), end(node.names[index]), "")


def _without_branch(source: PythonText, statement: ast.If) -> PythonText | None:
    begin = source.offset_of_node(statement.lineno, statement.col_offset)
    last = statement.body[-1].end_lineno or statement.body[-1].lineno
    indentation = " " * statement.col_offset
    following = next(
        (n for n in range(last + 1, source.line_count + 1) if source.line(n).startswith((f"{indentation}el",))), None
    )
    chained = source.text[begin:].startswith("elif")
    if chained and not statement.orelse:
        return source.spliced(source.start_of(statement.lineno), source.start_of(last + 1), "")
    if following is None or not statement.orelse:
        return None
    start = source.start_of(following)
    if chained:
        return source.spliced(source.start_of(statement.lineno), start, "")
    if source.text[start + len(indentation) :].startswith("elif"):
        return source.spliced(begin, start + len(indentation) + len("el"), "")
    return None


def _check(before: PythonText, after: PythonText) -> None:
    """Raise `BrokenEdit` unless `after` is valid Python whose tokens all stand in `before`, in that order.

    Commas do not count: the one item that is left of a tuple needs one.
    """
    _ = after.module
    remaining = iter(before.words)
    for word in after.words:
        if not any(word == known or f"el{word}" == known for known in remaining):
            raise BrokenEdit(
                f"the edit of {before.file} would change more than is meant", "Nothing is written; please report it."
            )
