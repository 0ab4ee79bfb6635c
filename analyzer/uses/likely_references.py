"""Whether a file may need one of the wanted modules, by its bytes alone: few files are read any further."""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

from analyzer.source.import_statements import code_of
from analyzer.uses.package_uses import PUT_TOGETHER

if TYPE_CHECKING:
    from analyzer.uses.wanted import Wanted

_BLANK = ord(" ")
_RELATIVE = re.compile(rb"import_module\s*\(\s*\w*[\"']\.")
_FROM = re.compile(rb"from\b([.\w \t\\\r\n]{1,200}?)\bimport\b")


class LikelyReferences:
    """One file, and what its bytes say. Prose may be taken for code; nothing is missed."""

    def __init__(self, file: str, data: bytes, wanted: Wanted) -> None:
        self.data = data
        self.wanted = wanted
        parts = file.rpartition(".")[0].split("/")
        self.package = ".".join(parts[:-1])
        """The full name of what holds the file's module."""
        self.own_path = self.package if parts[-1] == "__init__" else ".".join(parts)
        """The full name of the file's module."""

    @cached_property
    def code(self) -> bytes:
        """The file with blanks for comments and strings."""
        return code_of(self.data)

    @cached_property
    def imported_from(self) -> frozenset[str]:
        """The full names behind every `from` that seems to begin an import; prose is taken for code."""
        modules = {b"".join(found.translate(None, b"\\").split()).decode() for found in _FROM.findall(self.data)}
        return frozenset(self.absolute(module) for module in modules)

    def may_import(self) -> bool:
        """Whether it seems to import from a wanted module, or from what holds one; prose is taken for code."""
        roots = self.wanted.roots
        if any(root in self.data and _plain_import(root).search(self.data) is not None for root in roots):
            return True
        return any(self._holds_wanted(module) for module in self.imported_from)

    def may_name(self) -> bool:
        """Whether a string of it may hold the path of a wanted module."""
        if self.wanted.paths and b"import_module" in self.data and _RELATIVE.search(self.data) is not None:
            return True
        return any(root in self.data and self._names_below(root) for root in self.wanted.roots)

    def may_hold_package(self) -> bool:
        """Whether it seems to import a package that holds a wanted module, by a name or with all that is above it."""
        steps = self.wanted.steps
        for parent in self.imported_from.intersection(steps):
            if any(_from_import_of(child).search(self.data) is not None for child in steps[parent]):
                return True
        roots = [root for root in self.wanted.roots if root in self.data]
        if roots and steps and self.wanted.renamed_package.search(self.data) is not None:
            return True
        return any(self._is_attribute(root) for root in roots)

    def uses_package(self, package: str) -> bool:
        """Whether the code has an attribute of `package`, a name of the file, or hands it to a function."""
        if any(root.startswith(f"{package}.".encode()) for root in self.wanted.roots):
            return any(self._is_attribute(root) for root in self.wanted.roots if root in self.data)
        return re.search(rb"(?<![\w.])%b[ \t]*[.,]" % package.encode(), self.code) is not None

    def may_put_together(self) -> bool:
        """Whether a path to a wanted module may be put together: from the whole path of what holds it, or its own."""
        if b"__package__" in self.data and any(self._holds_wanted(p) for p in (self.package, self.own_path)):
            return PUT_TOGETHER.search(self.data) is not None
        near = any(root in self.data for root in self.wanted.roots)
        return near and self.wanted.ends_at_package.search(self.data) is not None

    def wanted_in(self, path: str) -> list[str]:
        """The wanted modules that `path` is or leads into, unless the file is of them."""
        return [wanted for wanted in self.wanted.at(path) if not f"{self.own_path}.".startswith(f"{wanted}.")]

    def absolute(self, name: str, package: str = "") -> str:
        """The full name of the module that `name`, which may begin with dots, is in `package`, else in the file's."""
        level = len(name) - len(name.lstrip("."))
        if not level:
            return name
        parts = (package or self.package).split(".")
        return ".".join([*parts[: len(parts) - level + 1], *filter(None, [name[level:]])])

    def _holds_wanted(self, base: str) -> bool:
        return base in self.wanted.packages or self._leads_to_wanted(base)

    def _leads_to_wanted(self, path: str) -> bool:
        return bool(self.wanted_in(path))

    def _names_below(self, root: bytes) -> bool:
        """Whether a wanted path that begins with `root` stands in what is not code."""
        wanted = [f.start() for f in _dotted(root).finditer(self.data) if self._leads_to_wanted(f[0].decode())]
        return any(self.code[start] == _BLANK for start in wanted)

    def _is_attribute(self, root: bytes) -> bool:
        """Whether a wanted path that begins with `root` stands in code, and in no import statement."""
        for found in _dotted(root).finditer(self.data):
            if self._leads_to_wanted(found[0].decode()) and self.code[found.start()] != _BLANK:
                line = self.code[self.code.rfind(b"\n", 0, found.start()) + 1 : found.start()].split()
                if not line or line[0] not in (b"import", b"from"):
                    return True
        return False


@cache
def _from_import_of(child: str) -> re.Pattern[bytes]:
    return re.compile(rb"import\b(?:[^\n(]|\([^)]*\))*?\b" + child.encode() + rb"\b")


@cache
def _plain_import(root: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"import\b(?:[^\n\\]|\\\r?\n)*?" + re.escape(root))


@cache
def _dotted(root: bytes) -> re.Pattern[bytes]:
    return re.compile(re.escape(root) + rb"[\w.]*")
