"""Reads which arguments a model's forward takes: the engine's backend passes some by name."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.syntax import assigned, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.model_modules import ModelModules
    from analyzer.source.classes import ClassResolver, ClassSource, Method

POSITIONS = "position_ids"
_DECODER_ATTRIBUTES = ("decoder", "language_model", "text_model")
"""Where `PreTrainedModel.get_decoder` looks for the decoder of a base model, Transformers 5.5 to 5.24."""


@dataclass(frozen=True, slots=True)
class ForwardSignature:
    """The forward of a model class."""

    class_name: str
    parameters: tuple[str, ...]
    location: Location
    recounts: Location | None
    """Where it counts positions anew whatever it was handed."""


def read_forward_signatures(
    resolver: ClassResolver, base: ClassSource, modules: ModelModules
) -> tuple[ForwardSignature, ...]:
    """The forward of the base model and of the decoder that it keeps, where it keeps one."""
    return tuple(_signatures(resolver, base, modules))


def _signatures(resolver: ClassResolver, base: ClassSource, modules: ModelModules) -> Iterator[ForwardSignature]:
    for source in modules.classes:
        _, _, attribute = modules.path_of.get((source.file, source.name), "").rpartition(".")
        if source is base or attribute in _DECODER_ATTRIBUTES:
            method = resolver.method(source, "forward")
            if method is not None:
                arguments = method.node.args
                names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
                yield ForwardSignature(source.name, tuple(names[1:]), method.location, _recounts(method))


def _recounts(method: Method) -> Location | None:
    """The statement, under no condition, that assigns positions which the handed ones have no part in."""
    for statement in method.node.body:
        target, value = assigned(statement)
        words = {node.id for node in walk(value) if isinstance(node, ast.Name)} if value is not None else set()
        if target == POSITIONS and words and POSITIONS not in words:
            return location_of(statement, method.owner.file)
    return None
