"""Reads which arguments a model's forward takes: the engine's backend passes some by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.classes import ClassResolver, ClassSource
    from analyzer.locations import Location
    from analyzer.model_modules import ModelModules

_DECODER_ATTRIBUTES = ("decoder", "language_model", "text_model")
"""Where `PreTrainedModel.get_decoder` looks for the decoder of a base model, Transformers 5.5 to 5.24."""


@dataclass(frozen=True, slots=True)
class ForwardSignature:
    """The forward of a model class."""

    class_name: str
    parameters: tuple[str, ...]
    location: Location


def read_forward_signatures(
    resolver: ClassResolver, base: ClassSource, modules: ModelModules
) -> tuple[ForwardSignature, ...]:
    """The forward of the base model and of the decoder that it keeps, where it keeps one."""
    return tuple(_signatures(resolver, base, modules))


def _signatures(resolver: ClassResolver, base: ClassSource, modules: ModelModules) -> Iterator[ForwardSignature]:
    for source in modules.classes:
        attribute = modules.attribute_of.get((source.file, source.name))
        if source is base or attribute in _DECODER_ATTRIBUTES:
            method = resolver.method(source, "forward")
            if method is not None:
                arguments = method.node.args
                names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
                yield ForwardSignature(source.name, tuple(names[1:]), method.location)
