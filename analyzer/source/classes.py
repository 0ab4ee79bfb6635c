"""Resolves classes across files as Python would: imports, base classes, inherited attributes and methods."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from analyzer.errors import UnreadableSource
from analyzer.locations import Location, location_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree

LONGEST_CHAIN = 40
"""Re-exports or base classes followed before giving up; real chains are below ten."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassSource:
    """A class definition and the file it stands in."""

    file: str
    node: ast.ClassDef

    @property
    def name(self) -> str:
        """The name the class is defined under."""
        return self.node.name

    @property
    def location(self) -> Location:
        """The line of the `class` statement."""
        return location_of(self.node, self.file)


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """The expression a class attribute is set to, and where; no value for a bare annotation."""

    value: ast.expr | None
    annotation: ast.expr | None
    location: Location
    owner: ClassSource


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method and the class that defines it."""

    node: ast.FunctionDef
    owner: ClassSource

    @property
    def location(self) -> Location:
        """The line of the `def` statement."""
        return location_of(self.node, self.owner.file)


@dataclass(frozen=True, slots=True, eq=False)
class ImportedName:
    """`from module import name` as written at the top level of a file."""

    module: str
    level: int
    name: str


Symbol = ast.ClassDef | ast.FunctionDef | ast.expr | ImportedName


class ClassResolver:
    """Answers what a name of a file stands for, reading other files of the tree only where it must."""

    def __init__(self, tree: SourceTree, leaves: frozenset[str] = frozenset()) -> None:
        """Files in `leaves` are never read: classes imported from them stay names."""
        self.tree = tree
        self._leaves = leaves
        self._symbols: dict[str, dict[str, Symbol]] = {}
        self._linearizations: dict[tuple[str, str], tuple[ClassSource, ...]] = {}
        self._methods: dict[tuple[str, str], dict[str, Method]] = {}
        self._attributes: dict[tuple[str, str], dict[str, Attribute]] = {}
        self._module_files: dict[tuple[str, str, int], str | None] = {}

    def forget(self) -> None:
        """Give back what was read, with the tree's syntax trees: classes found before and after are not the same."""
        kept = self.tree.forget_syntax()
        self._symbols = {file: symbols for file, symbols in self._symbols.items() if file in kept}
        self._linearizations.clear()
        self._methods.clear()
        self._attributes.clear()

    def symbols(self, file: str) -> dict[str, Symbol]:
        """The top-level names of `file`. Raises `UnreadableSource`."""
        known = self._symbols.get(file)
        if known is None:
            known = self._symbols[file] = dict(_top_level(self.tree.parse(file).body))
        return known

    def defines(self, file: str, name: str) -> bool:
        """Whether `file` is there and has a class statement for `name` at its top level."""
        return (
            self.tree.exists(file)
            and f"\nclass {name}".encode() in self.tree.read(file)
            and (isinstance(self.symbols(file).get(name), ast.ClassDef))
        )

    def find_class(self, file: str, name: str) -> ClassSource | None:
        """The class that `name` stands for in `file`, defined there or imported from a readable file."""
        found = self.resolve(file, name)
        return ClassSource(*found) if found is not None and isinstance(found[1], ast.ClassDef) else None  # type: ignore[arg-type]

    def resolve(self, file: str, name: str) -> tuple[str, Symbol] | None:
        """The defining file and the symbol that `name` stands for in `file`, through any re-exports."""
        for _ in range(LONGEST_CHAIN):
            try:
                symbol = self.symbols(file).get(name)
            except UnreadableSource:
                return None
            if not isinstance(symbol, ImportedName):
                return None if symbol is None else (file, symbol)
            origin = self.module_file(file, symbol)
            if origin is None or origin in self._leaves:
                return None
            file, name = origin, symbol.name
        return None

    def module_file(self, file: str, imported: ImportedName) -> str | None:
        """The file below the root that `imported`, as written in `file`, is read from."""
        folder = file.rpartition("/")[0] if imported.level else ""
        key = (folder, imported.module, imported.level)
        if key not in self._module_files:
            package = folder.split("/") if folder else []
            package = package[: len(package) - imported.level + 1]
            stem = "/".join([*package, *filter(None, imported.module.split("."))])
            candidates = (f"{stem}.py", f"{stem}/__init__.py")
            self._module_files[key] = next((f for f in candidates if self.tree.exists(f)), None)
        return self._module_files[key]

    def linearization(self, source: ClassSource) -> tuple[ClassSource, ...]:
        """The class and its readable bases in method resolution order; a cycle ends where it closes."""
        return self._linearize(source, frozenset())

    def _linearize(self, source: ClassSource, above: frozenset[tuple[str, str]]) -> tuple[ClassSource, ...]:
        key = (source.file, source.name)
        known = self._linearizations.get(key)
        if known is None:
            order = {key: source}
            for base in source.node.bases if len(above) <= LONGEST_CHAIN else ():
                name = dotted_name(base)
                found = self.find_class(source.file, name) if name else None
                if found is None or (found.file, found.name) in above | {key}:
                    continue
                for member in self._linearize(found, above | {key}):
                    # A base reached again later moves behind the classes met since, as in Python's own order.
                    if (member.file, member.name) != key:
                        order.pop((member.file, member.name), None)
                        order[member.file, member.name] = member
            known = self._linearizations[key] = tuple(order.values())
        return known

    def inherits_itself(self, source: ClassSource) -> bool:
        """Whether the class or one of its bases is its own base, so that Python cannot make it."""
        for member in self.linearization(source):
            for base in member.node.bases:
                name = dotted_name(base)
                found = self.find_class(member.file, name) if name else None
                above = self.linearization(found) if found is not None else ()
                if any((c.file, c.name) == (member.file, member.name) for c in above):
                    return True
        return False

    def base_names(self, source: ClassSource) -> frozenset[str]:
        """The names of all classes it inherits from, also of those whose file cannot be read (`nn.Module`)."""
        names: set[str] = set()
        for member in self.linearization(source):
            names.add(member.name)
            names.update(name for base in member.node.bases if (name := dotted_name(base)))
        return frozenset(names - {source.name})

    def attribute(self, source: ClassSource, name: str) -> Attribute | None:
        """The class attribute `name`, own or inherited: the last assignment of the first class that has one."""
        key = (source.file, source.name)
        known = self._attributes.get(key)
        if known is None:
            # The first class of the order has the last word, and in each class the last assignment.
            members = reversed(self.linearization(source))
            known = self._attributes[key] = {name: found for member in members for name, found in _attributes(member)}
        return known.get(name)

    def method(self, source: ClassSource, name: str) -> Method | None:
        """The method `name`, own or inherited."""
        return self._all_methods(source).get(name)

    def methods(self, source: ClassSource) -> tuple[Method, ...]:
        """Every method an instance has, overridden ones left out."""
        return tuple(self._all_methods(source).values())

    def _all_methods(self, source: ClassSource) -> dict[str, Method]:
        key = (source.file, source.name)
        known = self._methods.get(key)
        if known is None:
            known = self._methods[key] = {}
            for member in self.linearization(source):
                for statement in member.node.body:
                    if isinstance(statement, ast.FunctionDef):
                        known.setdefault(statement.name, Method(statement, member))
        return known


def _attributes(member: ClassSource) -> Iterator[tuple[str, Attribute]]:
    for statement in member.node.body:
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        yield target.id, Attribute(value, None, location_of(statement, member.file), member)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=given):
                yield name, Attribute(given, annotation, location_of(statement, member.file), member)


def dotted_name(node: ast.expr) -> str | None:
    """`nn.Module` for such an expression; the subscript of a generic base is left out; None otherwise."""
    parts: list[str] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
        elif not isinstance(node, ast.Subscript):
            return None
        node = node.value
    return ".".join((node.id, *reversed(parts))) if parts else node.id


def is_own_attribute(node: ast.expr) -> TypeGuard[ast.Attribute]:
    """Whether it is `self.x`."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def end_of_dotted_name(node: ast.expr) -> str:
    """`Linear` for `nn.Linear`; nothing for what has no dotted name, unlike `last_name`."""
    return (dotted_name(node) or "").rpartition(".")[2]


def last_name(node: ast.expr) -> str:
    """`Linear` for `nn.Linear`, `append` for `self.layers[0].append`, and for a plain name that; else nothing."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _top_level(body: list[ast.stmt]) -> Iterator[tuple[str, Symbol]]:
    for statement in body:
        match statement:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name, statement
            case ast.ImportFrom(module=module, names=names, level=level):
                for alias in names:
                    yield alias.asname or alias.name, ImportedName(module or "", level, alias.name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.If(body=inner, orelse=other):
                yield from _top_level(other)
                yield from _top_level(inner)
            case ast.Try(body=inner, handlers=handlers):
                for handler in handlers:
                    yield from _top_level(handler.body)
                yield from _top_level(inner)
