"""Finds what else in an engine tree needs a bespoke module or an architecture: imports, and strings that name them.

The registries themselves do not count: that they name a model is what a retirement changes.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property
from typing import TYPE_CHECKING

from analyzer.engine.registry import MODELS_PACKAGE, REGISTRY_FILE
from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from analyzer.locations import Location
from analyzer.source.constant_text import UNKNOWN, bound_texts, text_of
from analyzer.source.import_statements import ImportStatement, code_of, column_of, import_statements
from analyzer.source.source_scan import python_files, read_bytes
from analyzer.source.source_tree import parse_python
from analyzer.source.syntax import walk
from analyzer.uses.package_uses import PUT_TOGETHER, package_names, spelled_paths, uses_through_packages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from analyzer.source.source_tree import SourceTree

_BLANK = ord(" ")
_RELATIVE = re.compile(rb"import_module\s*\(\s*\w*[\"']\.")
_FROM = re.compile(rb"from\b([.\w \t\\\r\n]{1,200}?)\bimport\b")


class ReferenceKind(StrEnum):
    """How a file needs a module or an architecture."""

    IMPORT = "import"
    RELATIVE_IMPORT = "relative import"
    TYPE_CHECKING_IMPORT = "import for type checking"
    ATTRIBUTE = "use through its package"
    """As in `models.llama.LlamaModel`, where `models` was imported."""
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

    Only files of the folder `below` are looked at, all without one. Raises `UnreadableSource` for a file that seems to
    hold a string that names one of them and cannot be parsed, or that cannot be read.
    """
    wanted = _Wanted.of(modules, architectures)
    found: set[Reference] = set()
    for name, data in python_files(tree.root / below) if wanted.paths or wanted.architectures else ():
        found.update(_read_file(f"{below}/{name}" if below else name, data, wanted))
    return tuple(sorted(found))


def references_from(tree: SourceTree, files: Iterable[str], modules: Iterable[str]) -> tuple[Reference, ...]:
    """The references to `modules` from these files of the tree, in order. Raises `UnreadableSource`."""
    wanted = _Wanted.of(modules, ())
    found: set[Reference] = set()
    for file in files:
        found.update(_read_file(file, read_bytes(str(tree.root / file)), wanted))
    return tuple(sorted(found))


def references_in(file: str, data: bytes, modules: Iterable[str]) -> tuple[Reference, ...]:
    """The references to `modules` from one file with the content `data`. Raises `UnreadableSource`."""
    return tuple(sorted(set(_FileReader(file, data, _Wanted.of(modules, ())).read())))


def _read_file(file: str, data: bytes, wanted: _Wanted) -> Iterator[Reference]:
    return iter(()) if file == REGISTRY_FILE else _FileReader(file, data, wanted).read()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is looked for."""

    paths: dict[str, str]
    """Full names of modules, each with what the registry calls it."""
    packages: frozenset[str]
    """What holds the modules."""
    roots: tuple[bytes, ...]
    """How the full names begin, up to the second dot."""
    steps: dict[str, frozenset[str]]
    """For each package on the way to one those on the way that it holds."""
    renamed_package: re.Pattern[bytes]
    """A statement that imports what is on the way to one under another name."""
    ends_at_package: re.Pattern[bytes]
    """The path of what holds a module where a string ends behind it, or goes on with what is filled in."""
    on_the_way: dict[str, tuple[str, ...]]
    """For each dotted path that was asked for the modules that it is or leads into: most are asked for many times."""
    architectures: tuple[tuple[str, bytes], ...]

    @classmethod
    def of(cls, modules: Iterable[str], architectures: Iterable[str]) -> _Wanted:
        paths = {dotted_module(module): module for module in modules}
        packages = frozenset(path.rpartition(".")[0] for path in paths)
        roots = sorted({".".join(path.split(".")[:2]).encode() for path in paths})
        above = {path[:place] for path in paths for place in range(len(path)) if path[place] == "."}
        pairs = [(parent, child) for parent, _, child in (path.rpartition(".") for path in above) if parent]
        steps = {parent: frozenset(c for p, c in pairs if p == parent) for parent, _ in pairs}
        children = b"|".join(re.escape(f"{p}.{c}".encode()) for p, c in sorted(set(pairs)))
        renamed = re.compile(rb"import (?:" + children + rb") as")
        held = b"|".join(re.escape(package.encode()) for package in sorted(packages, reverse=True))
        ends = re.compile(rb"(?:" + held + rb")\.?[\"'{%]")
        named = tuple((name, name.encode()) for name in architectures)
        return cls(paths, packages, tuple(roots), steps, renamed, ends, {}, named)

    def at(self, path: str) -> tuple[str, ...]:
        """The wanted modules that `path` is or leads into."""
        known = self.on_the_way.get(path)
        if known is None:
            parts = path.split(".")
            above = (".".join(parts[: length + 1]) for length in range(1, len(parts)))
            known = self.on_the_way[path] = tuple(name for name in above if name in self.paths)
        return known


class _FileReader:
    """Reads the references of one file. A syntax tree is made of it only where a string may be one."""

    def __init__(self, file: str, data: bytes, wanted: _Wanted) -> None:
        self.file = file
        self.data = data
        self.wanted = wanted
        self.paths = wanted.paths
        self.architectures = tuple(name for name, text in wanted.architectures if text in data)
        parts = file.rpartition(".")[0].split("/")
        self.package = ".".join(parts[:-1])
        self.own_path = self.package if parts[-1] == "__init__" else ".".join(parts)

    def read(self) -> Iterator[Reference]:
        imported = list(self._statements()) if self._may_import() else []
        if imported and b"TYPE_CHECKING" in self.data and not self._at_margin(imported):
            lines = {line for block in _type_checking(self.tree) for line in range(block.lineno, _end(block) + 1)}
            kind = ReferenceKind.TYPE_CHECKING_IMPORT
            imported = [replace(r, kind=kind) if r.location.line in lines else r for r in imported]
        yield from imported
        if self.architectures or self._may_name():
            yield from self._strings()
        if self.paths:
            yield from self._through_packages()
            if self._may_put_together():
                yield from self._put_together()

    def _through_packages(self) -> Iterator[Reference]:
        if not self._may_hold_package():
            return
        names = package_names(import_statements(self.code), lambda m: self._absolute(m, self.package), self.paths)
        if any(self._uses(name) for name in names):
            for node, path, symbol in uses_through_packages(self.tree, names, self.paths):
                yield from self._imports(path, (symbol,) if symbol else (), ReferenceKind.ATTRIBUTE, node)

    def _may_hold_package(self) -> bool:
        """Whether it seems to import a package that holds a wanted module, by a name or with all that is above it."""
        steps = self.wanted.steps
        for parent in self.imported_from.intersection(steps):
            if any(_from_import_of(child).search(self.data) is not None for child in steps[parent]):
                return True
        roots = [root for root in self.wanted.roots if root in self.data]
        if roots and steps and self.wanted.renamed_package.search(self.data) is not None:
            return True
        return any(self._is_attribute(root) for root in roots)

    def _uses(self, package: str) -> bool:
        """Whether the code has an attribute of `package`, a name of the file, or hands it to a function."""
        if any(root.startswith(f"{package}.".encode()) for root in self.wanted.roots):
            return any(self._is_attribute(root) for root in self.wanted.roots if root in self.data)
        return re.search(rb"(?<![\w.])%b[ \t]*[.,]" % package.encode(), self.code) is not None

    def _is_attribute(self, root: bytes) -> bool:
        """Whether a wanted path that begins with `root` stands in code, and in no import statement."""
        for found in _dotted(root).finditer(self.data):
            if self._leads_to_wanted(found[0].decode()) and self.code[found.start()] != _BLANK:
                line = self.code[self.code.rfind(b"\n", 0, found.start()) + 1 : found.start()].split()
                if not line or line[0] not in (b"import", b"from"):
                    return True
        return False

    def _may_put_together(self) -> bool:
        """Whether a path to a wanted module may be put together: from the whole path of what holds it, or its own."""
        if b"__package__" in self.data and any(self._holds_wanted(p) for p in (self.package, self.own_path)):
            return PUT_TOGETHER.search(self.data) is not None
        near = any(root in self.data for root in self.wanted.roots)
        return near and self.wanted.ends_at_package.search(self.data) is not None

    def _put_together(self) -> Iterator[Reference]:
        bound = {**bound_texts(self.tree), "__package__": self.package}
        for node, text in spelled_paths(self.tree, bound, self.paths):
            yield from self._string(node, text)
        for call in walk(self.tree):
            match call:
                case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module")):
                    yield from self._relative_string(call, bound)

    def _at_margin(self, references: list[Reference]) -> bool:
        lines = self.data.splitlines()
        return all(lines[r.location.line - 1].startswith((b"from", b"import")) for r in references)

    @cached_property
    def tree(self) -> ast.Module:
        return parse_python(self.data, self.file)

    @cached_property
    def code(self) -> bytes:
        return code_of(self.data)

    def _may_import(self) -> bool:
        """Whether it seems to import from a wanted module, or from what holds one; prose is taken for code."""
        roots = self.wanted.roots
        if any(root in self.data and _plain_import(root).search(self.data) is not None for root in roots):
            return True
        return any(self._holds_wanted(module) for module in self.imported_from)

    @cached_property
    def imported_from(self) -> frozenset[str]:
        """The full names behind every `from` that seems to begin an import; prose is taken for code."""
        modules = {b"".join(found.translate(None, b"\\").split()).decode() for found in _FROM.findall(self.data)}
        return frozenset(self._absolute(module, self.package) for module in modules)

    def _holds_wanted(self, base: str) -> bool:
        return base in self.wanted.packages or self._leads_to_wanted(base)

    def _may_name(self) -> bool:
        """Whether a string of it may hold the path of a wanted module."""
        if self.paths and b"import_module" in self.data and _RELATIVE.search(self.data) is not None:
            return True
        return any(root in self.data and self._names_below(root) for root in self.wanted.roots)

    def _names_below(self, root: bytes) -> bool:
        """Whether a wanted path that begins with `root` stands in what is not code."""
        wanted = [f.start() for f in _dotted(root).finditer(self.data) if self._leads_to_wanted(f[0].decode())]
        return any(self.code[start] == _BLANK for start in wanted)

    def _leads_to_wanted(self, path: str) -> bool:
        return bool(self._wanted_in(path))

    def _wanted_in(self, path: str) -> list[str]:
        """The wanted modules that `path` is or leads into, unless the file is of them."""
        return [wanted for wanted in self.wanted.at(path) if not f"{self.own_path}.".startswith(f"{wanted}.")]

    def _strings(self) -> Iterator[Reference]:
        silent = {id(node) for node in _docstrings(self.tree)}
        if self.file == TEST_REGISTRY_FILE:
            silent.update(id(key) for node in walk(self.tree) if isinstance(node, ast.Dict) for key in node.keys)
        for node in walk(self.tree):
            match node:
                case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module")):
                    yield from self._relative_string(node, {})
                case ast.Constant(value=str() as text) if id(node) not in silent:
                    yield from self._string(node, text)

    def _statements(self) -> Iterator[Reference]:
        for statement in import_statements(self.code):
            if statement.module is None:
                for name in statement.names:
                    yield from self._imports(name.name, (), ReferenceKind.IMPORT, name.offset)
            else:
                yield from self._from_import(statement, statement.module)

    def _from_import(self, statement: ImportStatement, module: str) -> Iterator[Reference]:
        kind = ReferenceKind.RELATIVE_IMPORT if module.startswith(".") else ReferenceKind.IMPORT
        base = self._absolute(module, self.package)
        symbols = tuple(name.name for name in statement.names)
        inside = list(self._imports(base, symbols, kind, statement.offset))
        yield from inside
        if not inside:
            for name in statement.names:
                yield from self._imports(f"{base}.{name.name}", (), kind, name.offset)

    def _imports(
        self, path: str, symbols: tuple[str, ...], kind: ReferenceKind, place: int | ast.expr
    ) -> Iterator[Reference]:
        for wanted in self._wanted_in(path):
            if isinstance(place, ast.expr):
                line, column = place.lineno, place.col_offset + 1
            else:
                line, column = column_of(self.data, place)
            yield Reference(Location(self.file, line, column), kind, self.paths[wanted], symbols)

    def _relative_string(self, call: ast.Call, bound: Mapping[str, str]) -> Iterator[Reference]:
        """`import_module(".llama", package=…)`; other strings are found without the call."""
        arguments = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "package")]
        name, given = ([text_of(argument, bound) for argument in arguments] + ["", ""])[:2]
        if name.startswith("."):
            path = self._absolute(name, self.package if UNKNOWN in given or not given else given)
            yield from self._imports(path, (), ReferenceKind.MODULE_STRING, arguments[0])

    def _string(self, node: ast.expr, text: str) -> Iterator[Reference]:
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


@cache
def _from_import_of(child: str) -> re.Pattern[bytes]:
    return re.compile(rb"import\b(?:[^\n(]|\([^)]*\))*?\b" + child.encode() + rb"\b")


@cache
def _plain_import(root: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"import\b(?:[^\n\\]|\\\r?\n)*?" + re.escape(root))


@cache
def _dotted(root: bytes) -> re.Pattern[bytes]:
    return re.compile(re.escape(root) + rb"[\w.]*")


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


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
