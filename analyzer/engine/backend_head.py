"""Reads the output head that the backend puts in place of the model's own."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.classes import end_of_dotted_name
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.backend_functions import Functions
    from analyzer.source.source_tree import SourceTree


@dataclass(frozen=True, slots=True)
class BackendHead:
    """The output head that the backend puts in place of the model's own."""

    name: str
    """The attribute, and so the name that weights are loaded under."""
    fields: tuple[str, ...]
    """The configuration fields that it applies to the logits."""
    takes_bias: bool
    location: Location | None


def read_backend_head(files: SourceTree, functions: Functions) -> BackendHead:
    """The head, read from the file that builds a `ParallelLMHead`."""
    for file, found in functions.items():
        for function in found:
            for node in every(function, ast.Assign):
                match node:
                    case ast.Assign(
                        targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                        value=ast.Call(func=ast.Name(id="ParallelLMHead"), keywords=keywords) as call,
                    ):
                        sizes = set(_configuration_fields(call))
                        fields = dict.fromkeys(f for f in _configuration_fields(function) if f not in sizes)
                        bias = any(k.arg == "bias" for k in keywords) or f"{name}.bias".encode() in files.read(file)
                        return BackendHead(name, tuple(fields), bias, location_of(node, file))
    return BackendHead("lm_head", (), False, None)


def _configuration_fields(function: ast.AST) -> Iterator[str]:
    for node in walk(function):
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str() as field), *_]):
                if end_of_dotted_name(owner).endswith("config"):
                    yield field
            case ast.Attribute(value=owner, attr=field) if end_of_dotted_name(owner) == "text_config":
                yield field
