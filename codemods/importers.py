"""Whether other files of a drafted tree need a file, by an import or by a string that stands for one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analyzer.module_index import absolute, imports_in, names_in
from analyzer.source_scan import words_of
from codemods.mentions import mentioning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft

SHARED = "conftest"
"""What it defines is used below its folder without an import."""


def is_imported(file: str, draft: Draft) -> bool:
    """Whether a Python file that stays imports `file`, runs it as a script, or names it as a plugin does."""
    return next(_importers(file, draft), None) is not None


def is_used_outside(name: str, file: str, draft: Draft) -> bool:
    """Whether a file that needs `file`, which defines `name`, mentions the name."""
    folder, _, last = file.rpartition("/")
    if last == f"{SHARED}.py":
        return any(True for _ in mentioning(name, draft, below=folder, besides=(last,)))
    return any(name.encode() in words_of(draft.read(other)) for other in _importers(file, draft))


def _importers(file: str, draft: Draft) -> Iterator[str]:
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


PLAIN = re.compile(rb"^[ \t]*import[ \t]+(\w+)", re.MULTILINE)
