"""Takes out comments on a model that is gone: entries that are commented out, examples, and remarks of one line."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from codemods.code.python_text import PythonText

COMMENTED_ENTRY = re.compile(r"\s*#\s*((?P<quote>[\"'])(?P<name>[^\"'\s]+)(?P=quote)\s*[:,].*)")


EXAMPLE = re.compile(r"\s*#\s*\((?:e\.g\.|for example),? (?P<named>[^()]+)\)\.?\s*")


def without_commented_entries(source: PythonText, texts: frozenset[str]) -> PythonText:
    """The text without the lines that hold nothing but a commented entry for one of `texts`, or a remark right above.

    Lines that hold nothing but examples, all of them of `texts`, go as well: `# (e.g. org/model)`.
    """
    return _without_lines(source, lambda text, number: _is_about_entry(text, number, texts), texts)


def without_remarks(source: PythonText, texts: frozenset[str]) -> PythonText:
    """The text without comments of one line, on a line of their own, that name one of `texts`.

    Longer ones say more than that; they stay, for a person to rewrite.
    """
    return _without_lines(source, lambda text, number: _is_remark(text, number, texts), texts)


def _without_lines(source: PythonText, goes: Callable[[PythonText, int], bool], texts: frozenset[str]) -> PythonText:
    if not any(text in source.text for text in texts):
        return source
    gone = [n for n in range(source.line_count, 0, -1) if goes(source, n)]
    inside = {n for node in ast.walk(source.module) for n in _string_lines(node)} if gone else set[int]()
    for number in gone:
        if number not in inside:
            source = source.spliced(source.start_of(number), source.start_of(number + 1), "")
    return source


def _is_remark(source: PythonText, number: int, texts: frozenset[str]) -> bool:
    if not _is_comment(source, number) or _is_comment(source, number - 1) or _is_comment(source, number + 1):
        return False
    line = source.line(number)
    return any(_holds(text, line) for text in texts)


def _is_about_entry(source: PythonText, number: int, texts: frozenset[str]) -> bool:
    line = source.line(number)
    example = EXAMPLE.fullmatch(line)
    if example is not None:
        return texts.issuperset(re.split(r",\s*(?:and |or )?| and | or ", example["named"]))
    if _is_entry(line, texts):
        return True
    below = source.line(number + 1) if number < source.line_count else ""
    found = COMMENTED_ENTRY.match(below)
    return (
        _is_comment(source, number)
        and COMMENTED_ENTRY.match(line) is None
        and found is not None
        and _is_entry(below, texts)
        and _holds(found["name"], line)
    )


def _holds(text: str, line: str) -> bool:
    return re.search(rf"(?<![\w/-]){re.escape(text)}(?![\w-])", line) is not None


def _is_comment(source: PythonText, number: int) -> bool:
    return 1 <= number <= source.line_count and source.line(number).lstrip().startswith("#")


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
