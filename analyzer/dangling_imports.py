"""Finds imports, and strings that stand for imports, of model modules and their helpers that a tree does not have."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.module_index import ModuleIndex
from analyzer.source_scan import files_mentioning
from analyzer.source_tree import parse_python

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source_tree import SourceTree

PACKAGES = ("vllm.model_executor.models", "vllm.models", "vllm.transformers_utils")
"""Where models and what comes with them live; other packages have compiled and generated modules."""
PATH = re.compile(r"(?<![\w./-])(?:" + "|".join(map(re.escape, PACKAGES)) + r")(?:\.\w+)+")
PATH_BYTES = re.compile(PATH.pattern.removeprefix(r"(?<![\w./-])").encode())
FROM_BYTES = re.compile(rb"from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)")
NAME_BYTES = re.compile(rb"(\w+)(?:[ \t]+as[ \t]+\w+)?[ \t]*(?:,|$|\)|;)", re.MULTILINE)
COMMENT = re.compile(rb"#[^\n]*")
MENTIONS = frozenset({b"model_executor.models", b"vllm.models", b"vllm.transformers_utils"})
FOLDERS = tuple(f"{package.replace('.', '/')}/" for package in PACKAGES)
FORGIVING = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "AttributeError"})


@dataclass(frozen=True, slots=True, order=True)
class DanglingImport:
    """A place that leads to a module, or a name of one, that is not there."""

    location: Location
    path: str


def find_dangling_imports(tree: SourceTree) -> tuple[DanglingImport, ...]:
    """Every such place of the tree's Python files, in order.

    Raises `UnreadableSource` for a file that seems to have one and cannot be parsed.
    """
    index = ModuleIndex(tree)
    found: set[DanglingImport] = set()
    for file, data in files_mentioning(tree.root, MENTIONS | {b"from ."}):
        relevant = file.startswith(FOLDERS) or any(mention in data for mention in MENTIONS)
        if relevant and not all(index.leads(path) for path in _candidates(file, data)):
            found.update(_confirmed(file, parse_python(data, file), index))
    return tuple(sorted(found))


def _candidates(file: str, data: bytes) -> Iterator[str]:
    """The paths that stand in a file, in whatever way: a superset of what it imports."""
    for path in set(PATH_BYTES.findall(data)):
        yield path.decode()
    for base, names in FROM_BYTES.findall(data):
        path = _absolute(base.decode(), file)
        if _guarded(path):
            yield path
            yield from (f"{path}.{name.decode()}" for name in NAME_BYTES.findall(COMMENT.sub(b"", names)))


def _guarded(path: str) -> bool:
    return path.startswith(PACKAGES)


def _absolute(name: str, file: str) -> str:
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    parts = file.split("/")[:-level]
    return ".".join([*parts, *filter(None, [name[level:]])])


def _confirmed(file: str, module: ast.Module, index: ModuleIndex) -> Iterator[DanglingImport]:
    silent = set(_silent(module))
    for node in ast.walk(module):
        if id(node) in silent:
            continue
        match node:
            case ast.ImportFrom():
                base = _absolute("." * node.level + (node.module or ""), file)
                paths = [base] if not index.leads(base) else [f"{base}.{alias.name}" for alias in node.names]
                yield from _missing(file, node, [p for p in paths if _guarded(base) and not p.endswith(".*")], index)
            case ast.Import(names=aliases):
                yield from _missing(file, node, [a.name for a in aliases if _guarded(a.name)], index)
            case ast.Constant(value=str() as text):
                yield from _missing(file, node, PATH.findall(text), index)


def _missing(file: str, node: ast.stmt | ast.expr, paths: list[str], index: ModuleIndex) -> Iterator[DanglingImport]:
    yield from (DanglingImport(location_of(node, file), path) for path in paths if not index.leads(path))


def _silent(module: ast.Module) -> Iterator[int]:
    """Documentation, and what stands under a `try` that is there for the case that the import fails."""
    for node in ast.walk(module):
        match node:
            case ast.Expr(value=ast.Constant() as text):
                yield id(text)
            case ast.Try(handlers=handlers, body=body) if any(map(_forgives, handlers)):
                yield from (id(inner) for statement in body for inner in ast.walk(statement))
            case ast.FunctionDef() if any(isinstance(n, ast.Try) and any(map(_forgives, n.handlers)) for n in ast.walk(node)):
                yield from (id(inner) for inner in ast.walk(node) if isinstance(inner, ast.Constant))


def _forgives(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in FORGIVING) for kind in kinds)
