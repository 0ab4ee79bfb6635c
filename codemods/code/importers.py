"""Whether other files of a drafted tree need a file, by an import or by a string that stands for one."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from analyzer.source.source_scan import words_of
from analyzer.uses.module_index import absolute, imports_in, names_in
from codemods.mentions import mentioning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft

PLAIN = re.compile(rb"^[ \t]*import[ \t]+(\w+)", re.MULTILINE)
SHARED = "conftest"
"""What it defines is used below its folder without an import."""


class Importers:
    """The files that stay and need one file, looked up when it is first asked for."""

    def __init__(self, file: str, draft: Draft) -> None:
        self._file = file
        self._draft = draft
        self.asked_for = False
        """Whether one of them needed what was asked for."""

    def need_file(self) -> bool:
        """Whether one imports the file, runs it as a script, or names it as a plugin does."""
        return self._noted(found=any(True for _ in _naming(self._file, self._draft)))

    def need(self, name: str) -> bool:
        """Whether one mentions a name that the file defines."""
        return self._noted(found=any(name.encode() in words for words in self._words))

    def _noted(self, *, found: bool) -> bool:
        self.asked_for = self.asked_for or found
        return found

    @cached_property
    def _words(self) -> list[set[bytes]]:
        return [words_of(self._draft.read(other)) for other in _importers(self._file, self._draft)]


def _importers(file: str, draft: Draft) -> Iterator[str]:
    folder, _, name = file.rpartition("/")
    if name == f"{SHARED}.py":
        below = draft.tree.walk(folder, frozenset({".py"}))
        yield from (other for other in below if other != file and draft.exists(other))
    else:
        yield from _naming(file, draft)


def _naming(file: str, draft: Draft) -> Iterator[str]:
    path = file.removesuffix(".py").removesuffix("/__init__")
    folder, _, stem = path.rpartition("/")
    package = folder.rpartition("/")[2]
    spelled = re.compile(rb"(?<!\w)" + re.escape(package.encode()) + rb"[./]" + re.escape(stem.encode()) + rb"(?!\w)")
    dotted = path.replace("/", ".")
    for other in mentioning(stem, draft, besides=(file,)):
        data = draft.read(other)
        if (package and spelled.search(data)) or dotted in _imported(other, data):
            yield other


def _imported(file: str, data: bytes) -> Iterator[str]:
    """The full names of what a file imports, as far as a look at its bytes tells; a script's from its own folder."""
    folder = file.rpartition("/")[0].replace("/", ".")
    for base, names in imports_in(data):
        path = absolute(base.decode(), file)
        yield path
        yield f"{folder}.{path}"
        yield from (f"{path}.{name.decode()}" for name in names_in(names))
    yield from (f"{folder}.{name.decode()}" for name in PLAIN.findall(data))
