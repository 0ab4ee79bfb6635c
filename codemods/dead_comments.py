"""Takes out entries of lists and dictionaries that are commented out and name a model that is gone."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codemods.python_text import PythonText

COMMENTED_ENTRY = re.compile(r"\s*#\s*((?P<quote>[\"'])(?P<name>[^\"'\s]+)(?P=quote)\s*[:,].*)")


def without_commented_entries(source: PythonText, texts: frozenset[str]) -> PythonText:
    """The text without the lines that hold nothing but a commented entry for one of `texts`."""
    if not any(text in source.text for text in texts):
        return source
    gone = [n for n in range(source.line_count, 0, -1) if _is_entry(source.line(n), texts)]
    inside = {n for node in ast.walk(source.module) for n in _string_lines(node)} if gone else set()
    for number in gone:
        if number not in inside:
            source = source.spliced(source.start_of(number), source.start_of(number + 1), "")
    return source


def _is_entry(line: str, texts: frozenset[str]) -> bool:
    found = COMMENTED_ENTRY.match(line)
    if found is None or found["name"] not in texts:
        return False
    try:
        ast.parse(f"{{{found[1]}\n}}")
    except SyntaxError:
        return False
    return True


def _string_lines(node: ast.AST) -> range:
    if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno:
        return range(node.lineno, node.end_lineno + 1) if node.end_lineno > node.lineno else range(0)
    return range(0)
