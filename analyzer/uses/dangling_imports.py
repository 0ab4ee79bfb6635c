"""Finds imports, and strings that stand for imports, of model modules and their helpers that a tree does not have."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.source_scan import files_mentioning
from analyzer.source.source_tree import parse_python
from analyzer.source.syntax import walk
from analyzer.uses.module_index import ModuleIndex, absolute, imports_in, names_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree

PACKAGES = ("vllm.model_executor.models", "vllm.models", "vllm.transformers_utils")
"""Where models and what comes with them live; other packages have compiled and generated modules."""
PATH = re.compile(r"(?<![\w./-])(?:" + "|".join(map(re.escape, PACKAGES)) + r")(?:\.\w+)+")
PATH_BYTES = re.compile(PATH.pattern.removeprefix(r"(?<![\w./-])").encode())
MENTIONS = frozenset({b"model_executor.models", b"vllm.models", b"vllm.transformers_utils"})
FOLDERS = tuple(f"{package.replace('.', '/')}/" for package in PACKAGES)
ENGINE = "vllm/"
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
        relevant = _is_checked(file) or any(mention in data for mention in MENTIONS)
        if relevant and not all(_candidates(file, data, index)):
            found.update(_confirmed(file, parse_python(data, file), index))
    return tuple(sorted(found))


def _candidates(file: str, data: bytes, index: ModuleIndex) -> Iterator[bool]:
    """Whether the paths that stand in a file, in whatever way, lead to something: a superset of what it imports."""
    for path in set(PATH_BYTES.findall(data)):
        yield index.leads(path.decode())
    inside = _is_checked(file)
    for base, names in imports_in(data):
        if not base.startswith((b".", b"vllm.") if inside else b"vllm."):
            continue
        path = absolute(base.decode(), file)
        if _is_beside(base.decode(), file):
            yield index.file_of(path) is not None
        elif _guarded(path):
            yield index.file_of(path) is not None
            yield from (index.leads(f"{path}.{name.decode()}") for name in names_in(names))


def _is_checked(file: str) -> bool:
    """Whether the relative imports of a file are followed: other packages of the engine have compiled modules."""
    return file.startswith(FOLDERS) or not file.startswith(ENGINE)


def _is_beside(base: str, file: str) -> bool:
    """Whether a file outside the engine imports by `base` from a module next to it."""
    return base.strip(".") != "" and base.startswith(".") and not file.startswith(ENGINE)


def _guarded(path: str) -> bool:
    return path.startswith(PACKAGES)


def _confirmed(file: str, module: ast.Module, index: ModuleIndex) -> Iterator[DanglingImport]:
    nodes = list(walk(module))
    documentation = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    tries = [node for node in nodes if isinstance(node, ast.Try) and any(map(_forgives, node.handlers))]
    trying = [node for node in nodes if isinstance(node, ast.FunctionDef) and any(_holds(node, t) for t in tries)]
    for node in nodes:
        match node:
            case ast.ImportFrom() if not any(_holds(block, node) for block in tries):
                written = "." * node.level + (node.module or "")
                base = absolute(written, file)
                if (_guarded(base) or _is_beside(written, file)) and index.file_of(base) is None:
                    yield DanglingImport(location_of(node, file), base)
                elif _guarded(base):
                    names = [alias.name for alias in node.names if alias.name != "*"]
                    yield from _missing(file, node, [f"{base}.{name}" for name in names], index)
            case ast.Import(names=aliases) if not any(_holds(block, node) for block in tries):
                yield from _missing(file, node, [a.name for a in aliases if _guarded(a.name)], index)
            case ast.Constant(value=str() as text) if id(node) not in documentation:
                # What a function tries to import by a string may stand anywhere in it.
                if not any(_holds(block, node) for block in (*tries, *trying)):
                    yield from _missing(file, node, PATH.findall(text), index)


def _missing(file: str, node: ast.stmt | ast.expr, paths: list[str], index: ModuleIndex) -> Iterator[DanglingImport]:
    yield from (DanglingImport(location_of(node, file), path) for path in paths if not index.leads(path))


def _holds(block: ast.stmt, node: ast.stmt | ast.expr) -> bool:
    return block.lineno <= node.lineno <= (block.end_lineno or block.lineno)


def _forgives(handler: ast.ExceptHandler) -> bool:
    """Whether the handler is there for the case that an import fails."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in FORGIVING) for kind in kinds)
