"""Finds uses of modules that no import statement names: through their package, and by paths put together of parts."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from analyzer.source.classes import dotted_name
from analyzer.source.constant_text import bound_texts, spelled_texts, text_of
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from analyzer.source.import_statements import ImportStatement

PUT_TOGETHER = re.compile(
    rb"(?:import_module|__import__)\s*\((?!\s*[\"'][^\"'{%]*[\"']\s*[,)])"
    rb"|[\"']\s*(?:[+%]|\.(?:format|join)\b)|\+\s*[\"']|\bf[\"']"
)
"""What a file has in it that puts the path to a module together."""


def package_names(
    statements: Iterable[ImportStatement], absolute: Callable[[str], str], paths: Iterable[str]
) -> dict[str, str]:
    """The names that the import statements bind to a package on the way to one of `paths`, each with its full name."""
    found: dict[str, str] = {}
    for statement in statements:
        base = None if statement.module is None else absolute(statement.module)
        for imported in statement.names:
            if base is not None:
                found[imported.bound] = f"{base}.{imported.name}"
            else:
                first = imported.name.partition(".")[0]
                found[imported.bound or first] = imported.name if imported.bound != first else first
    above = {path[:place] for path in paths for place in range(len(path)) if path[place] == "."}
    return {name: path for name, path in found.items() if path in above}


def uses_through_packages(
    module: ast.Module, packages: Mapping[str, str], paths: Iterable[str]
) -> Iterator[tuple[ast.expr, str, str]]:
    """Each `(expression, path, symbol)` that leads from one of `packages` to one of `paths`; what of it is taken."""
    wanted = tuple(paths)
    inner: set[int] = set()
    bound: dict[str, str] | None = None
    for node in walk(module):
        match node:
            case ast.Attribute() if id(node) not in inner:
                inner.update(id(part) for part in walk(node))
                path = _full_name(node, packages)
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name() | ast.Attribute() as owner, name, *_]):
                bound = bound_texts(module) if bound is None else bound
                above = _full_name(owner, packages)
                path = f"{above}.{text_of(name, bound)}" if above else ""
            case _:
                continue
        for found in wanted if path else ():
            if f"{path}.".startswith(f"{found}."):
                yield node, found, path.removeprefix(found).removeprefix(".")


def _full_name(node: ast.expr, packages: Mapping[str, str]) -> str:
    """What `node` leads to from a package's name; empty where it does not begin with one."""
    name, _, rest = (dotted_name(node) or "").partition(".")
    return ".".join(filter(None, (packages[name], rest))) if name in packages else ""


def spelled_paths(module: ast.Module, bound: Mapping[str, str], paths: Iterable[str]) -> Iterator[tuple[ast.expr, str]]:
    """Each `(expression, text)` that spells one of `paths` of parts, none of which holds it alone."""
    wanted = tuple(paths)
    for node, text in spelled_texts(module, bound):
        if isinstance(node, ast.Constant) or not any(path in text for path in wanted):
            continue
        alone = [part.value for part in walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        if any(path in text and not any(path in part for part in alone) for path in wanted):
            yield node, text
