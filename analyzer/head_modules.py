"""Reads which weights a head class has besides its base model and its projection to the vocabulary.

The engine's backend builds the base model and one projection: a transform between the two has no place in it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.classes import ClassResolver, ClassSource, dotted_name
from analyzer.locations import Location, location_of
from analyzer.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

_WITHOUT_WEIGHTS = ("Dropout", "Identity", "ModuleList", "ModuleDict", "Sequential", "GELU", "Tanh", "ReLU", "Loss")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class HeadLayer:
    """A layer with weights that only the head class has."""

    name: str
    """The path of attributes that leads to it from the head class."""
    layer: str
    location: Location


def read_head_layers(resolver: ClassResolver, head: ClassSource, base: ClassSource) -> tuple[HeadLayer, ...]:
    """The layers of the head class that are neither its base model's nor a projection to the vocabulary."""
    prefix = resolver.attribute(head, "base_model_prefix")
    value = prefix.value if prefix else None
    skipped = {"model", str(value.value) if isinstance(value, ast.Constant) else "model"}
    if head is base or (head.file, head.name) == (base.file, base.name):
        return ()
    return tuple(_layers(resolver, head, skipped, "", 0))


def _layers(
    resolver: ClassResolver, source: ClassSource, skipped: set[str], path: str, depth: int
) -> Iterator[HeadLayer]:
    init = resolver.method(source, "__init__")
    for node in walk(init.node) if init is not None and depth < _DEEPEST else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Call() as call):
                called = dotted_name(call.func)
                if called is None or name in skipped or init is None:
                    continue
                found = resolver.find_class(init.owner.file, called)
                if found is not None and found.file.startswith("transformers/models/"):
                    yield from _layers(resolver, found, set(), f"{path}{name}.", depth + 1)
                elif called.startswith("nn.") and not called.endswith(_WITHOUT_WEIGHTS) and not _to_vocabulary(call):
                    yield HeadLayer(f"{path}{name}", called, location_of(call, init.owner.file))


def _to_vocabulary(call: ast.Call) -> bool:
    return any(isinstance(n, ast.Attribute) and "vocab" in n.attr for n in walk(call)) or any(
        isinstance(n, ast.Name) and "vocab" in n.id for n in walk(call)
    )
