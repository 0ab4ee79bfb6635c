"""Takes out helpers of tests and examples that no file uses any more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analyzer.source.source_scan import words_of
from codemods.code.cuts import without
from codemods.code.dead_code import bound_names
from codemods.code.dead_expressions import StatementCut
from codemods.code.python_text import PythonText
from codemods.code.swept_file import tidied
from codemods.code.unused_names import used_names

if TYPE_CHECKING:
    from codemods.edits import Draft

HELPER = re.compile(rb"[A-Za-z]\w*_\w+")
"""Names of one word are too likely to be something else's attribute."""


def drop_unused_helpers(file: str, lost: set[bytes], draft: Draft) -> None:
    """Cut the functions and classes out whose last mention elsewhere was among the words that `file` has `lost`."""
    folder = file.partition("/")[0]
    wanted = frozenset(word for word in lost if HELPER.fullmatch(word) and not word.startswith(b"test_"))
    mentions: dict[bytes, set[str]] = {word: set() for word in wanted}
    for other in draft.index.files_with(wanted, folder) if wanted else ():
        if draft.exists(other):
            for word in wanted & words_of(draft.read(other)):
                mentions[word].add(other)
    for word, files in sorted(mentions.items()):
        if len(files) == 1:
            _drop(word.decode(), next(iter(files)), draft)


def _drop(name: str, file: str, draft: Draft) -> None:
    before = source = PythonText.of(draft.read(file), file)
    for statement in source.module.body:
        if bound_names(statement) == (name,) and name not in used_names(source.module):
            source = without(source, StatementCut(statement)) or source
            break
    if source.text != before.text:
        source = tidied(before, source, lambda _: True)
        draft.rewrite(file, source.encode(), f"{name}, which nothing uses any more")
