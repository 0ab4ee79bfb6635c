"""Reads the references of one file. A syntax tree is made of it only where a string may be one."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from analyzer.locations import Location
from analyzer.source.constant_text import UNKNOWN, bound_texts, text_of
from analyzer.source.import_statements import ImportStatement, column_of, import_statements
from analyzer.source.source_tree import parse_python
from analyzer.source.syntax import walk
from analyzer.uses.likely_references import LikelyReferences
from analyzer.uses.package_uses import package_names, spelled_paths, uses_through_packages
from analyzer.uses.reference import Reference, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from analyzer.uses.wanted import Wanted


class FileReader:
    """Finds what one file needs of what is wanted."""

    def __init__(self, file: str, data: bytes, wanted: Wanted) -> None:
        self.file = file
        self.data = data
        self.paths = wanted.paths
        self.architectures = tuple(name for name, text in wanted.architectures if text in data)
        self.likely = LikelyReferences(file, data, wanted)

    def read(self) -> Iterator[Reference]:
        """Every reference, some of them twice. Raises `UnreadableSource`."""
        imported = list(self._statements()) if self.likely.may_import() else []
        if imported and b"TYPE_CHECKING" in self.data and not self._at_margin(imported):
            lines = {line for block in _type_checking(self._tree) for line in range(block.lineno, _end(block) + 1)}
            kind = ReferenceKind.TYPE_CHECKING_IMPORT
            imported = [replace(r, kind=kind) if r.location.line in lines else r for r in imported]
        yield from imported
        if self.architectures or self.likely.may_name():
            yield from self._strings()
        if self.paths:
            yield from self._through_packages()
            if self.likely.may_put_together():
                yield from self._put_together()

    def _through_packages(self) -> Iterator[Reference]:
        if not self.likely.may_hold_package():
            return
        names = package_names(import_statements(self.likely.code), self.likely.absolute, self.paths)
        if any(self.likely.uses_package(name) for name in names):
            for node, path, symbol in uses_through_packages(self._tree, names, self.paths):
                yield from self._imports(path, (symbol,) if symbol else (), ReferenceKind.ATTRIBUTE, node)

    def _put_together(self) -> Iterator[Reference]:
        bound = {**bound_texts(self._tree), "__package__": self.likely.package}
        for node, text in spelled_paths(self._tree, bound, self.paths):
            yield from self._string(node, text)
        for call in walk(self._tree):
            match call:
                case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module")):
                    yield from self._relative_string(call, bound)

    def _at_margin(self, references: list[Reference]) -> bool:
        lines = self.data.splitlines()
        return all(lines[r.location.line - 1].startswith((b"from", b"import")) for r in references)

    @cached_property
    def _tree(self) -> ast.Module:
        return parse_python(self.data, self.file)

    def _strings(self) -> Iterator[Reference]:
        silent = {id(node) for node in _docstrings(self._tree)}
        if self.file == TEST_REGISTRY_FILE:
            silent.update(id(key) for node in walk(self._tree) if isinstance(node, ast.Dict) for key in node.keys)
        for node in walk(self._tree):
            match node:
                case ast.Call(func=ast.Name(id="import_module") | ast.Attribute(attr="import_module")):
                    yield from self._relative_string(node, {})
                case ast.Constant(value=str() as text) if id(node) not in silent:
                    yield from self._string(node, text)

    def _statements(self) -> Iterator[Reference]:
        for statement in import_statements(self.likely.code):
            if statement.module is None:
                for name in statement.names:
                    yield from self._imports(name.name, (), ReferenceKind.IMPORT, name.offset)
            else:
                yield from self._from_import(statement, statement.module)

    def _from_import(self, statement: ImportStatement, module: str) -> Iterator[Reference]:
        kind = ReferenceKind.RELATIVE_IMPORT if module.startswith(".") else ReferenceKind.IMPORT
        base = self.likely.absolute(module)
        symbols = tuple(name.name for name in statement.names)
        inside = list(self._imports(base, symbols, kind, statement.offset))
        yield from inside
        if not inside:
            for name in statement.names:
                yield from self._imports(f"{base}.{name.name}", (), kind, name.offset)

    def _imports(
        self, path: str, symbols: tuple[str, ...], kind: ReferenceKind, place: int | ast.expr
    ) -> Iterator[Reference]:
        for wanted in self.likely.wanted_in(path):
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
            path = self.likely.absolute(name, "" if UNKNOWN in given else given)
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
