"""Frees the test registry's entries of migrated models from what only the hand-written class or an old release wanted.

A checkpoint's own code comes before the class of Transformers, so that an entry that trusts it would test that code
and not the backend. A lowest release of Transformers that the engine itself no longer goes below says nothing.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from analyzer.engine.requirements import read_declared_range
from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from analyzer.errors import EnvironmentProblem
from analyzer.source.syntax import assigned_dictionaries
from codemods.code.cuts import without
from codemods.code.dead_expressions import ItemCut
from codemods.code.python_text import PythonText
from codemods.plan import Migrate
from codemods.registry.entry import WIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

OWN_CODE = "trust_remote_code"
LOWEST_RELEASE = "min_transformers_version"
ITS_REASON = "transformers_version_reason"


def mend_tested_entries(plan: RetirementPlan, draft: Draft) -> None:
    """Cut such arguments out of the entries. A tree without tests has nothing to mend. Raises `UnreadableSource`."""
    served = {a.name for a in plan.architectures if isinstance(a.outcome, Migrate)}
    if not served or not draft.exists(TEST_REGISTRY_FILE):
        return
    floor = _floor(draft)
    before = source = PythonText.of(draft.read(TEST_REGISTRY_FILE), TEST_REGISTRY_FILE)
    while (shorter := _shorter(source, served, floor)) is not None:
        source = shorter
    if source.text != before.text:
        draft.rewrite(
            TEST_REGISTRY_FILE, source.encode(), f"what the backend's test of {', '.join(sorted(served))} wants"
        )


def _shorter(source: PythonText, served: set[str], floor: Version | None) -> PythonText | None:
    for statement, call in _entries(source.module, served):
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        for index, keyword in enumerate(call.keywords, len(call.args)):
            if _is_idle(keyword, floor) and not (keyword.arg == LOWEST_RELEASE and ITS_REASON in named):
                shorter = without(source, ItemCut(statement, call, index))
                if shorter is not None:
                    return _on_one_line(shorter, call)
    return None


def _entries(module: ast.Module, served: set[str]) -> Iterator[tuple[ast.stmt, ast.Call]]:
    for statement, _, display in assigned_dictionaries(module):
        for key, value in zip(display.keys, display.values, strict=True):
            if isinstance(key, ast.Constant) and key.value in served and isinstance(value, ast.Call):
                yield statement, value


def _is_idle(keyword: ast.keyword, floor: Version | None) -> bool:
    match keyword:
        case ast.keyword(arg=name, value=ast.Constant(value=True)) if name == OWN_CODE:
            return True
        case ast.keyword(arg=name, value=ast.Constant(value=str() as text)) if name == LOWEST_RELEASE and floor:
            try:
                return Version(text) <= floor
            except InvalidVersion:
                return False
    return False


def _floor(draft: Draft) -> Version | None:
    """The lowest release of Transformers that the engine declares."""
    try:
        declared = read_declared_range(draft.tree, "transformers").specifier
    except EnvironmentProblem:
        return None
    return max((Version(clause.version) for clause in declared if clause.operator in (">=", "==", "~=")), default=None)


def _on_one_line(source: PythonText, call: ast.Call) -> PythonText:
    """The text with the arguments in the line of the call, where they stood together in one of their own and fit."""
    start = source.text.index("(", source.offset_of_node(call.func.end_lineno or 0, call.func.end_col_offset or 0))
    first, last = source.line_of(start), source.line_of(start) + 2
    inside = source.text[start + 1 : source.start_of(last)]
    closing = source.line(last).strip()
    arguments = inside.strip()
    joined = f"{source.text[source.start_of(first) : start + 1]}{arguments}{closing}"
    fits = len(joined) <= WIDTH and closing.startswith(")") and not arguments.endswith(",") and "#" not in inside
    if not fits or inside[0] not in "\r\n":
        return source
    end = source.start_of(last) + len(source.line(last).rstrip())
    return source.spliced(start + 1, end, arguments + closing)
