"""Whether a drafted tree mentions a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.source.source_scan import files_mentioning, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from codemods.edits import Draft


def is_mentioned(name: str, draft: Draft, *, below: str = "", besides: Sequence[str] = ()) -> bool:
    """Whether a Python file of the draft, below the folder `below`, holds the whole word `name`."""
    return next(mentioning(name, draft, below=below, besides=besides), None) is not None


def mentioning(name: str, draft: Draft, *, below: str = "", besides: Sequence[str] = ()) -> Iterator[str]:
    """The Python files of the draft that hold the whole word `name`, save `besides`."""
    word = name.encode()
    for found, _ in files_mentioning(draft.tree.root / below, frozenset({word})):
        file = f"{below}/{found}" if below else found
        if file not in besides and draft.exists(file) and word in words_of(draft.read(file)):
            yield file
