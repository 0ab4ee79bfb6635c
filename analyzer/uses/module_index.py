"""Answers whether a dotted path leads to something in a tree, from names of files and words in them alone."""

from __future__ import annotations

import os
import re
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.source.source_tree import SourceTree

WORDS = frozenset(bytes([byte]) for byte in (string.ascii_letters + string.digits + "_").encode())
CLASS = re.compile(rb"^[ \t]*class (\w+)", re.MULTILINE)
FROM = re.compile(rb"from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)")
NAME = re.compile(rb"(\w+)(?:[ \t]+as[ \t]+\w+)?[ \t]*(?:,|$|\)|;)", re.MULTILINE)
COMMENT = re.compile(rb"#[^\n]*")
ANY_NAME = (b"import *", b"def __getattr__", b"globals()", b"setattr(")
"""A module with one of these may have names that are not written in it."""


class ModuleIndex:
    """Looks modules and their names up, each once."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        self._files: dict[str, str | None] = {}
        self._names: dict[str, frozenset[str]] = {}
        self._leads: dict[str, bool] = {}
        self._classes: dict[str, frozenset[bytes]] = {}

    def file_of(self, path: str) -> str | None:
        """The file of the module `path`; of a package its `__init__.py`, or its folder where it has none."""
        if path not in self._files:
            folder, _, name = path.replace(".", "/").rpartition("/")
            names = self._listed(folder)
            found = None
            inside = f"{folder}/{name}" if folder else name
            if f"{name}.py" in names:
                found = f"{inside}.py"
            if name in names:
                found = f"{inside}/__init__.py" if "__init__.py" in self._listed(inside) else found or inside
            self._files[path] = found
        return self._files[path]

    def _listed(self, folder: str) -> frozenset[str]:
        known = self._names.get(folder)
        if known is None:
            try:
                known = frozenset(os.listdir(self._tree.root / folder))  # noqa: PTH208 - many folders, names alone
            except (OSError, ValueError):
                known = frozenset()
            self._names[folder] = known
        return known

    def files_of(self, path: str) -> tuple[str, ...]:
        """The files of the module `path`: one, or all of a package."""
        file = self.file_of(path)
        if file is None or (file.endswith(".py") and not file.endswith("/__init__.py")):
            return (file,) if file is not None else ()
        return tuple(self._tree.walk(file.removesuffix("/__init__.py"), frozenset({".py"})))

    def defines_class(self, file: str, name: str) -> bool:
        """Whether a file plainly defines the class or imports it by its name, without parsing the file.

        Raises `UnreadableSource`.
        """
        known = self._classes.get(file)
        if known is None:
            data = self._tree.read(file) if file.endswith(".py") else b""
            known = self._classes[file] = frozenset(CLASS.findall(data))
        word = name.encode()
        if word in known:
            return True
        data = self._tree.read(file) if file.endswith(".py") else b""
        return any(word in names_in(names) for _, names in imports_in(data))

    def leads(self, path: str) -> bool:
        """Whether `path`, a module or what is in one, leads to something.

        What comes behind the first name inside a module is not looked at.
        """
        known = self._leads.get(path)
        if known is None:
            known = self._leads[path] = self._look(path)
        return known

    def _look(self, path: str) -> bool:
        if self.file_of(path) is not None:
            return True
        owner, _, name = path.rpartition(".")
        if not owner:
            return False
        file = self.file_of(owner)
        if file is None:
            # The module may be further up, and the path go on inside a class of it.
            return self.leads(owner)
        return file.endswith(".py") and self._holds(file, name)

    def _holds(self, file: str, name: str) -> bool:
        data = self._tree.read(file)
        return holds_word(data, name.encode()) or any(sign in data for sign in ANY_NAME)


def holds_word(data: bytes, word: bytes) -> bool:
    """Whether `word` stands in `data` as a whole identifier."""
    start = data.find(word)
    while start >= 0:
        end = start + len(word)
        if data[start - 1 : start] not in WORDS and data[end : end + 1] not in WORDS:
            return True
        start = data.find(word, end)
    return False


def imports_in(data: bytes) -> list[tuple[bytes, bytes]]:
    """Where a file seems to import from, and the text of the names: what a look at its bytes can tell."""
    return FROM.findall(data)


def names_in(text: bytes) -> list[bytes]:
    """The names in the text of such an import."""
    return NAME.findall(COMMENT.sub(b"", text))


def absolute(name: str, file: str) -> str:
    """The full name of a module that `file` imports as `name`, which may begin with dots."""
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    return ".".join([*file.split("/")[:-level], *filter(None, [name[level:]])])
