"""Follows which classes and functions of the models folder a hand-written class is made of.

Every name that a class mentions and that is defined in the models folder counts: what a configuration switches on
or off is not decided here, and neither is a submodel that is built by its architecture's name.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.engine_tree import MODELS_FOLDER
from analyzer.source.classes import ClassResolver, ClassSource, ImportedName
from analyzer.source.syntax import every, kept_with

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MODELS = (f"{MODELS_FOLDER}/", "vllm/models/")
"""Where modeling files stand; the second since vLLM 0.22."""
_SHARED = tuple(
    f"{MODELS_FOLDER}/{name}"
    for name in ("interfaces", "interfaces_base", "utils", "vision", "registry", "adapters", "transformers")
)
"""Files that serve every model, and the backend itself."""


@dataclass(frozen=True, slots=True, eq=False)
class BespokePart:
    """A class or a function of the models folder."""

    file: str
    node: ast.ClassDef | ast.FunctionDef


def read_bespoke_parts(resolver: ClassResolver, source: ClassSource) -> tuple[BespokePart, ...]:
    """The class, its bases, and all that these mention, in the order they are reached.

    Raises `UnreadableSource` for a file of the models folder that one of them is imported from and does not parse.
    """
    parts: dict[tuple[str, str], BespokePart] = {}
    waiting: list[BespokePart] = [BespokePart(m.file, m.node) for m in resolver.linearization(source)]
    while waiting:
        part = waiting.pop(0)
        key = (part.file, part.node.name)
        if key in parts or not part.file.startswith(_MODELS) or part.file.startswith(_SHARED):
            continue
        parts[key] = part
        waiting.extend(_mentioned(resolver, part))
    return tuple(parts.values())


def _mentioned(resolver: ClassResolver, part: BespokePart) -> Iterator[BespokePart]:
    symbols = resolver.symbols(part.file)
    for name in kept_with(part.node, "symbols_used", lambda: _symbols_used(part.node, symbols)):
        symbol = symbols[name]
        if isinstance(symbol, ImportedName) and not _is_part_of_model(resolver, part.file, symbol):
            continue
        found = resolver.resolve(part.file, name)
        if found is None:
            continue
        file, node = found
        if isinstance(node, ast.ClassDef):
            members = resolver.linearization(ClassSource(file, node))
            yield from (BespokePart(member.file, member.node) for member in members)
        elif isinstance(node, ast.FunctionDef):
            yield BespokePart(file, node)


def _symbols_used(node: ast.AST, symbols: Mapping[str, object]) -> list[str]:
    return sorted({name.id for name in every(node, ast.Name)} & symbols.keys())


def _is_part_of_model(resolver: ClassResolver, file: str, symbol: ImportedName) -> bool:
    origin = resolver.module_file(file, symbol)
    if origin is None or not origin.startswith(_MODELS):
        return False
    resolver.tree.parse(origin)
    return True
