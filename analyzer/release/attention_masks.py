"""Reads which attention masks a model builds: a mask that only a mask expresses is lost to the engine's attention.

Facts of Transformers 4.57 to 5.24: `create_causal_mask`, `create_sliding_window_causal_mask`,
`create_chunked_causal_mask` and others of `masking_utils.py`, called by the model's forward.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.classes import ImportedName
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.classes import ClassResolver, ClassSource

_CREATES = re.compile(r"create_(\w+)_mask")


@dataclass(frozen=True, slots=True)
class BuiltMask:
    """A mask that the model builds."""

    kind: str
    """The middle of the function's name: `causal`, `chunked_causal` …"""
    location: Location


def read_masks(resolver: ClassResolver, model: ClassSource) -> tuple[BuiltMask, ...]:
    """The masks that the methods of `model` build, each kind once."""
    found: dict[str, BuiltMask] = {}
    for method in resolver.methods(model):
        for kind, node in _created(resolver, method.owner.file, method.node):
            found.setdefault(kind, BuiltMask(kind, location_of(node, method.owner.file)))
    return tuple(found.values())


def _created(resolver: ClassResolver, file: str, method: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    for node in walk(method):
        if isinstance(node, ast.Name) and (match := _CREATES.fullmatch(node.id)):
            symbol = resolver.symbols(file).get(node.id)
            if isinstance(symbol, ImportedName) and symbol.module.endswith("masking_utils"):
                yield match[1], node
