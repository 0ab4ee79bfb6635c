"""Finds the code of a module that another one needs, with all that it is built on, or says why it cannot be told."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import Refused
from analyzer.source.syntax import walk
from codemods.code.dead_code import bound_names

if TYPE_CHECKING:
    from collections.abc import Iterator

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign | ast.AnnAssign
BY_HAND = "Move it by hand first."


@dataclass(frozen=True, slots=True)
class NeededImport:
    """One name that an import binds: `from module import name as bound`, or `import module as bound` without a name."""

    module: str
    """With leading dots where it is relative."""
    name: str
    bound: str

    @property
    def path(self) -> str:
        """The full name of what is bound: `import torch.nn as nn` and `from torch import nn` bind the same."""
        if self.name:
            return f"{self.module}.{self.name}"
        return self.module if self.bound != self.module.partition(".")[0] else self.bound

    @property
    def target(self) -> str:
        """What stands behind `import`."""
        target = self.name or self.module
        return target if self.bound in (target, target.partition(".")[0]) else f"{target} as {self.bound}"


@dataclass(frozen=True, slots=True)
class SharedCode:
    """Top-level statements in their order, and the imports that they use."""

    definitions: tuple[Definition, ...]
    imports: tuple[NeededImport, ...]


def shared_code(module: ast.Module, file: str, symbols: frozenset[str]) -> SharedCode:
    """What of `module` the names `symbols` are made of.

    Raises `Refused` where one of the names is bound in a way that cannot be moved: twice, in a branch, by unpacking.
    """
    definitions = dict(_definitions(module))
    imports = {found.bound: found for found in needed_imports(module)}
    bindings = [name for statement in module.body for name in _bound_anywhere(statement)]
    waiting, needed = sorted(symbols), set[str]()
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.add(name)
        if bindings.count(name) != 1 or (name not in definitions and name not in imports):
            raise Refused(f"{file}: what {name} is cannot be moved", BY_HAND)
        if name in definitions:
            waiting.extend(sorted((_names_in(definitions[name]) & set(bindings)) - needed))
    order = {id(statement): statement for name, statement in definitions.items() if name in needed}
    return SharedCode(
        tuple(statement for statement in definitions.values() if id(statement) in order),
        tuple(imports[name] for name in imports if name in needed),
    )


def needed_imports(module: ast.Module) -> Iterator[NeededImport]:
    """What the imports of a file's top level bind."""
    for statement in module.body:
        match statement:
            case ast.Import(names=aliases):
                for alias in aliases:
                    yield NeededImport(alias.name, "", alias.asname or alias.name.partition(".")[0])
            case ast.ImportFrom(module=base, names=aliases, level=level) if base != "__future__":
                for alias in aliases:
                    yield NeededImport("." * level + (base or ""), alias.name, alias.asname or alias.name)


def _definitions(module: ast.Module) -> Iterator[tuple[str, Definition]]:
    for statement in module.body:
        if isinstance(statement, Definition):
            names = bound_names(statement)
            single = not isinstance(statement, ast.Assign) or isinstance(statement.targets[0], ast.Name)
            if len(names) == 1 and single:
                yield names[0], statement


def _bound_anywhere(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of the top level binds there, in branches as well."""
    if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
        for block in (getattr(statement, part, []) for part in ("body", "orelse", "finalbody")):
            for inner in block:
                yield from _bound_anywhere(inner)
        for handler in getattr(statement, "handlers", []):
            for inner in handler.body:
                yield from _bound_anywhere(inner)
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id
    else:
        yield from bound_names(statement)


def _names_in(statement: Definition) -> set[str]:
    """The names that a statement reads, those in annotations that are strings among them."""
    names = {node.id for node in walk(statement) if isinstance(node, ast.Name)}
    for node in walk(statement):
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            for part in walk(annotation) if annotation is not None else ():
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    names |= _names_in_text(part.value)
    return names - set(dir(builtins))


def _names_in_text(text: str) -> set[str]:
    try:
        return {node.id for node in walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Name)}
    except SyntaxError:
        return set()
