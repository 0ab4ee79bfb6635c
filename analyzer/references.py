"""Finds what else in an engine tree needs a bespoke module or an architecture: imports, and strings that name them.

The registries themselves do not count: that they name a model is what a retirement changes.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from analyzer.locations import Location
from analyzer.registry import REGISTRY_FILE
from analyzer.source_scan import files_mentioning, words_of
from analyzer.source_tree import parse_python
from analyzer.syntax import walk
from analyzer.test_registry import TEST_REGISTRY_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.source_tree import SourceTree

MODELS_PACKAGE = "vllm.model_executor.models"


class ReferenceKind(StrEnum):
    """How a file needs a module or an architecture."""

    IMPORT = "import"
    RELATIVE_IMPORT = "relative import"
    TYPE_CHECKING_IMPORT = "import for type checking"
    MODULE_STRING = "string with the module's path"
    """As for `importlib.import_module` or a patch in a test."""
    ARCHITECTURE_STRING = "string with the architecture's name"


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """One place that needs a module or an architecture."""

    location: Location
    kind: ReferenceKind
    subject: str
    """The module as the registry writes it, or the architecture."""
    symbols: tuple[str, ...] = ()
    """What of the module is used, where the place says so."""


def dotted_module(module: str) -> str:
    """The full name of a registry's module: `llama` is below the models package, `vllm.…` stands for itself."""
    return module if module.startswith("vllm.") else f"{MODELS_PACKAGE}.{module}"


def find_references(
    tree: SourceTree, modules: Iterable[str] = (), architectures: Iterable[str] = (), below: str = ""
) -> tuple[Reference, ...]:
    """Every reference from outside to `modules` and to `architectures`, in order; one pass for all.

    Only files of the folder `below` are looked at, all without one. Raises `UnreadableSource` for a file that
    mentions one of them and cannot be parsed.
    """
    by_path = {dotted_module(module): module for module in modules}
    names = frozenset(architectures)
    words = frozenset(path.rpartition(".")[2].encode() for path in by_path) | {name.encode() for name in names}
    found: set[Reference] = set()
    for name, data in files_mentioning(tree.root / below, words) if words else ():
        file = f"{below}/{name}" if below else name
        hit = words & words_of(data)
        paths = {p: m for p, m in by_path.items() if p.rpartition(".")[2].encode() in hit and _may_import(data, p)}
        called = frozenset(name for name in names if name.encode() in hit)
        if file != REGISTRY_FILE and (paths or called):
            found.update(_FileReader(file, parse_python(data, file), paths, called).read())
    return tuple(sorted(found))


def references_in(file: str, data: bytes, modules: Iterable[str]) -> tuple[Reference, ...]:
    """The references to `modules` from one file with the content `data`. Raises `UnreadableSource`."""
    paths = {dotted_module(module): module for module in modules}
    return tuple(sorted(set(_FileReader(file, parse_python(data, file), paths, frozenset()).read())))


def _may_import(data: bytes, path: str) -> bool:
    """Whether the last part of `path` stands where an import or a dotted path can have it."""
    name = re.escape(path.rpartition(".")[2].encode())
    return re.search(rb"(?m)(?:^|[.,(\\;]|\bimport)[ \t]*" + name + rb"(?![A-Za-z0-9_])", data) is not None


class _FileReader:
    """Reads the references of one file."""

    def __init__(self, file: str, module: ast.Module, paths: dict[str, str], architectures: frozenset[str]) -> None:
        self.file = file
        self.module = module
        self.paths = paths
        self.architectures = architectures
        parts = file.removesuffix(".py").split("/")
        self.package = ".".join(parts[:-1])
        self.own_path = self.package if parts[-1] == "__init__" else ".".join(parts)

    def read(self) -> Iterator[Reference]:
        silent = {id(node) for node in _docstrings(self.module)}
        if self.file == TEST_REGISTRY_FILE:
            silent.update(id(key) for node in walk(self.module) if isinstance(node, ast.Dict) for key in node.keys)
        checking = {id(inner) for block in _type_checking(self.module) for inner in walk(block)}
        for node in walk(self.module):
            match node:
                case ast.Import():
                    for alias in node.names:
                        kind = ReferenceKind.TYPE_CHECKING_IMPORT if id(node) in checking else ReferenceKind.IMPORT
                        yield from self._imports(alias.name, (), kind, alias)
                case ast.ImportFrom():
                    yield from self._from_import(node, type_checking=id(node) in checking)
                case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module")):
                    yield from self._relative_string(node)
                case ast.Constant(value=str() as text) if id(node) not in silent:
                    yield from self._string(node, text)

    def _from_import(self, node: ast.ImportFrom, *, type_checking: bool) -> Iterator[Reference]:
        kind = ReferenceKind.RELATIVE_IMPORT if node.level else ReferenceKind.IMPORT
        if type_checking:
            kind = ReferenceKind.TYPE_CHECKING_IMPORT
        base = self._absolute("." * node.level + (node.module or ""), self.package)
        symbols = tuple(alias.name for alias in node.names)
        inside = list(self._imports(base, symbols, kind, node))
        yield from inside
        if not inside:
            for alias in node.names:
                yield from self._imports(f"{base}.{alias.name}", (), kind, alias)

    def _imports(
        self, path: str, symbols: tuple[str, ...], kind: ReferenceKind, node: ast.stmt | ast.alias | ast.expr
    ) -> Iterator[Reference]:
        parts = path.split(".")
        for wanted in (".".join(parts[: length + 1]) for length in range(len(parts))):
            if wanted in self.paths and not f"{self.own_path}.".startswith(f"{wanted}."):
                place = Location(self.file, node.lineno, node.col_offset + 1)
                yield Reference(place, kind, self.paths[wanted], symbols)

    def _relative_string(self, call: ast.Call) -> Iterator[Reference]:
        """`import_module(".llama", package=…)`; other strings are found without the call."""
        arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "package")]
        match arguments:
            case [ast.Constant(value=str() as name) as node, *rest] if name.startswith("."):
                given = rest[0].value if rest and isinstance(rest[0], ast.Constant) else None
                path = self._absolute(name, given if isinstance(given, str) else self.package)
                yield from self._imports(path, (), ReferenceKind.MODULE_STRING, node)

    def _string(self, node: ast.Constant, text: str) -> Iterator[Reference]:
        for wanted in self.paths if "." in text else ():
            for found in (
                re.finditer(rf"(?<![\w.]){re.escape(wanted)}(?:\.([\w.]*\w)|(?!\w))", text) if wanted in text else ()
            ):
                symbols = (found[1],) if found[1] else ()
                yield from self._imports(wanted, symbols, ReferenceKind.MODULE_STRING, node)
        for name in self.architectures:
            if name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                place = Location(self.file, node.lineno, node.col_offset + 1)
                yield Reference(place, ReferenceKind.ARCHITECTURE_STRING, name)

    @staticmethod
    def _absolute(name: str, package: str) -> str:
        level = len(name) - len(name.lstrip("."))
        if not level:
            return name
        parts = package.split(".")
        return ".".join([*parts[: len(parts) - level + 1], *filter(None, [name[level:]])])


def _docstrings(module: ast.Module) -> Iterator[ast.expr]:
    """Strings that are statements: documentation, which needs nothing."""
    for node in walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def _type_checking(module: ast.Module) -> Iterator[ast.stmt]:
    for node in walk(module):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                yield from node.body
