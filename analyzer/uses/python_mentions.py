"""Finds where a Python file names a model: imports and what is done with them, strings, comments."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from analyzer.locations import Location, location_of
from analyzer.source.classes import end_of_dotted_name
from analyzer.source.source_tree import parse_python
from analyzer.source.syntax import walk
from analyzer.uses.mentions import Mention, MentionKind, ModelNames, holds
from analyzer.uses.reference import ReferenceKind, dotted_module
from analyzer.uses.references import references_in
from analyzer.uses.sub_models import ENGINE_FOLDER, sub_models_in

if TYPE_CHECKING:
    from collections.abc import Iterator

IMPORTS = {
    ReferenceKind.IMPORT: MentionKind.IMPORT,
    ReferenceKind.RELATIVE_IMPORT: MentionKind.RELATIVE_IMPORT,
    ReferenceKind.TYPE_CHECKING_IMPORT: MentionKind.TYPE_CHECKING_IMPORT,
    ReferenceKind.ATTRIBUTE: MentionKind.USE,
    ReferenceKind.MODULE_STRING: MentionKind.MODULE_STRING,
}
PATCHES = frozenset({"setattr", "patch", "object", "delattr", "setitem"})
"""The last parts of what tests replace things with: `monkeypatch.setattr`, `mock.patch.object` …"""
MODEL_TYPE = re.compile(r"model_?types?", re.IGNORECASE)


def mentions_in_python(file: str, data: bytes, names: ModelNames) -> Iterator[Mention]:
    """The mentions in a Python file. Raises `UnreadableSource` where it names one and cannot be parsed."""
    texts = frozenset(name for name in names.texts if name.encode() in data)
    types = frozenset(name for name in names.model_types if name.encode() in data)
    parts = {m: dotted_module(m).rpartition(".")[2].encode() for m in names.modules}
    modules = [module for module, part in parts.items() if re.search(rb"(?<!\w)" + part + rb"(?!\w)", data)]
    if texts or types or modules:
        yield from _Reader(file, data, texts, types).read(modules)


class _Reader:
    """Reads the mentions of one file."""

    def __init__(self, file: str, data: bytes, texts: frozenset[str], types: frozenset[str]) -> None:
        self.file = file
        self.data = data
        self.texts = texts
        self.types = types
        self.module = parse_python(data, file)
        self.lines = data.decode("utf-8", "replace").splitlines()
        self.documentation = {id(n.value) for n in walk(self.module) if isinstance(n, ast.Expr)}
        self.built = {sub.location: sub for sub in sub_models_in(file, self.module)}

    def read(self, modules: list[str]) -> Iterator[Mention]:
        yield from self._references(modules)
        covered: set[int] = set()
        for node in walk(self.module):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                covered.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
                for name in self.texts:
                    if holds(name, node.value):
                        yield self._string(node, node.value, name)
            elif isinstance(node, ast.Compare) and self.types and MODEL_TYPE.search(ast.unparse(node)):
                for part in walk(node):
                    if isinstance(part, ast.Constant) and part.value in self.types:
                        yield self._mention(location_of(part, self.file), MentionKind.MODEL_TYPE, str(part.value))
        for number, line in enumerate(self.lines, 1):
            for name in self.texts if number not in covered else ():
                if holds(name, line):
                    comment = "#" in line.partition(name)[0]
                    kind = MentionKind.COMMENT if comment else MentionKind.CODE
                    yield self._mention(Location(self.file, number, line.index(name) + 1), kind, name)

    def _mention(self, place: Location, kind: MentionKind, name: str, uses: tuple[str, ...] = ()) -> Mention:
        line = self.lines[place.line - 1].strip() if place.line <= len(self.lines) else ""
        return Mention(place, kind, name, line, uses)

    def _string(self, node: ast.Constant, text: str, name: str) -> Mention:
        place = location_of(node, self.file)
        sub_model = self.built.get(place)
        if self.file == REGISTRY_FILE:
            kind = MentionKind.REGISTRY
        elif sub_model is not None and text == name and self.file.startswith(f"{ENGINE_FOLDER}/"):
            return self._mention(
                place, MentionKind.BUILT_BY_NAME, name, tuple(dict.fromkeys(u.path for u in sub_model.uses))
            )
        elif sub_model is not None:
            kind = MentionKind.OVERRIDE
        elif self.file == TEST_REGISTRY_FILE:
            kind = MentionKind.TEST_REGISTRY
        elif id(node) in self.documentation:
            kind = MentionKind.DOCSTRING
        elif text == name and not self.file.startswith(f"{ENGINE_FOLDER}/"):
            kind = MentionKind.TEST_PARAMETER
        else:
            kind = MentionKind.CODE
        return self._mention(place, kind, name)

    def _references(self, modules: list[str]) -> Iterator[Mention]:
        if self.file == REGISTRY_FILE or not modules:
            return
        patches = list(self._patches())
        bound: dict[str, str] = {}
        for reference in references_in(self.file, self.data, modules):
            place = reference.location
            kind = IMPORTS[reference.kind]
            if kind is MentionKind.MODULE_STRING and any(_holds(call, place) for call in patches):
                kind = MentionKind.PATCH
            yield self._mention(place, kind, reference.subject)
            bound.update(dict.fromkeys(self._bound_at(place, reference.symbols), reference.subject))
        for node in walk(self.module) if bound else ():
            if isinstance(node, ast.Name) and node.id in bound:
                place = location_of(node, self.file)
                kind = MentionKind.PATCH if any(_holds(c, place) for c in patches) else MentionKind.USE
                yield self._mention(place, kind, bound[node.id])

    def _patches(self) -> Iterator[ast.Call]:
        for node in walk(self.module):
            if isinstance(node, ast.Call) and end_of_dotted_name(node.func) in PATCHES:
                yield node

    def _bound_at(self, place: Location, symbols: tuple[str, ...]) -> Iterator[str]:
        """The names that the import at `place` binds."""
        for node in walk(self.module):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    here = place.line in (alias.lineno, node.lineno)
                    if here and (alias.name in symbols or alias.lineno == place.line):
                        yield (alias.asname or alias.name).partition(".")[0]


def _holds(call: ast.Call, place: Location) -> bool:
    start, end = (call.lineno, call.col_offset), (call.end_lineno or call.lineno, call.end_col_offset or 0)
    return start <= (place.line, place.column - 1) < end
