"""Whether a drafted tree mentions a name."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from analyzer.source.source_scan import files_mentioning, python_paths, read_bytes, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from codemods.edits import Draft

FEW = 12
"""Up to here one search for each question is quicker than reading all words of a tree, which answers every question."""


class WordIndex:
    """Which Python files of a tree hold a word, as it is on disk."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._asked = 0
        self._files: list[str] = []
        self._places: dict[bytes, list[int]] = {}

    def files_with(self, words: frozenset[bytes], below: str = "") -> Iterator[str]:
        """The files below the folder `below` that hold one of `words`, perhaps as a part of a longer word."""
        self._asked += 1
        if self._asked <= FEW:
            found = (file for file, _ in files_mentioning(self._root / below, words))
            yield from (f"{below}/{file}" if below else file for file in found)
            return
        if not self._files:
            self._read()
        places = {place for word in words for place in self._places.get(word, ())}
        files = (self._files[place] for place in sorted(places))
        yield from (file for file in files if not below or file.startswith(f"{below}/"))

    def _read(self) -> None:
        places: defaultdict[bytes, list[int]] = defaultdict(list)
        self._files = python_paths(self._root)
        for place, file in enumerate(self._files):
            for word in words_of(read_bytes(str(self._root / file))):
                places[word].append(place)
        self._places = dict(places)


def is_mentioned(name: str, draft: Draft, *, below: str = "", besides: Sequence[str] = ()) -> bool:
    """Whether a Python file of the draft, below the folder `below`, holds the whole word `name`."""
    return next(mentioning(name, draft, below=below, besides=besides), None) is not None


def mentioning(name: str, draft: Draft, *, below: str = "", besides: Sequence[str] = ()) -> Iterator[str]:
    """The Python files of the draft that hold the whole word `name`, save `besides`."""
    word = name.encode()
    for file in draft.index.files_with(frozenset({word}), below):
        if file not in besides and draft.exists(file) and word in words_of(draft.read(file)):
            yield file
