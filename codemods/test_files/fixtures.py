"""Takes away the files that only deleted tests read."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from analyzer.source.source_scan import files_mentioning
from analyzer.source.source_tree import parse_python
from codemods.edits import Deletion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft

TESTS = "tests"
PATH = re.compile(r"(?:\.\./)*(?P<tail>[\w.-]+(?:/[\w.-]+)+)/?")
DATA = frozenset({".json", ".jsonl", ".txt", ".yaml", ".npy", ".pt", ".wav", ".png", ".jpg", ".jinja"})


def drop_fixtures(draft: Draft) -> None:
    """Delete the data files that a deleted test names by a path, and no other file of the tests does."""
    gone = [e for e in draft.change_set().edits if isinstance(e, Deletion) and e.file.startswith(f"{TESTS}/")]
    tails = {tail for edit in gone if edit.file.endswith(".py") for tail in _paths(edit)}
    data = list(draft.tree.walk(TESTS, DATA)) if tails else []
    for tail in sorted(tails):
        owned = [file for file in data if f"/{file}/".find(f"/{tail}/") >= 0]
        if owned and not _is_named(tail, draft):
            for file in owned:
                draft.delete(file, "data of deleted tests")


def _paths(edit: Deletion) -> Iterator[str]:
    for node in ast.walk(parse_python(edit.before, edit.file)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found = PATH.fullmatch(node.value)
            if found is not None:
                yield found["tail"]


def _is_named(tail: str, draft: Draft) -> bool:
    """Whether a test that stays names the path, or its last part alone."""
    last = tail.rpartition("/")[2].encode()
    named = re.compile(rb"[\"']" + re.escape(last) + rb"[\"']|(?<![\w.-])" + re.escape(tail.encode()) + rb"(?![\w.-])")
    for found, _ in files_mentioning(draft.tree.root / TESTS, frozenset({last})):
        file = f"{TESTS}/{found}"
        if draft.exists(file) and named.search(draft.read(file)):
            return True
    return False
