"""Reads what the engine's backend makes of the arguments that models hand to its attention.

Facts of `vllm/model_executor/models/transformers/`, vLLM 0.11.2 to 0.33.0: a function registered in
`ALL_ATTENTION_FUNCTIONS`, and `create_attention_instances`, which reads the configuration for the windows and
caps that the engine's own attention layers get. Whatever neither knows goes into `**kwargs` and is lost.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.classes import dotted_name
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from analyzer.engine.backend_functions import Functions

INTERFACE = "ALL_ATTENTION_FUNCTIONS"
_CREATES_LAYERS = "create_attention_instances"


@dataclass(frozen=True, slots=True)
class BackendAttention:
    """What reaches the engine's attention layers."""

    arguments: frozenset[str]
    """Keywords of the interface that it knows by name."""
    fields: frozenset[str]
    """Configuration fields that it builds its attention layers from."""
    layer_types: frozenset[str]
    """Values of `layer_types` that it treats as such; layers of any other type get full attention."""
    reads_outer_configuration: bool
    """It looks for `layer_types` in the outer configuration, which a composite one does not have."""
    location: Location | None
    """Where it builds its attention layers."""


def read_backend_attention(functions: Functions, trees: Mapping[str, ast.Module]) -> BackendAttention:
    """Read the functions of the backend's files."""
    registered = {name for tree in trees.values() for name in _registered(tree)}
    arguments = {name for tree in trees.values() for name in _known_arguments(tree, registered)}
    for file, found in functions.items():
        for function in found:
            if function.name.endswith(_CREATES_LAYERS):
                owned = list(_fields(function))
                return BackendAttention(
                    arguments=frozenset(arguments),
                    fields=frozenset(field for _, field in owned),
                    layer_types=frozenset(_compared(function)),
                    reads_outer_configuration=("self.config", "layer_types") in owned,
                    location=location_of(function, file),
                )
    return BackendAttention(frozenset(arguments), frozenset(), frozenset(), False, None)


def _registered(tree: ast.Module) -> Iterator[str]:
    """The functions that a file puts into the interface."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=ast.Name(id=function)):
                if name == INTERFACE:
                    yield function
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="register"), args=[_, ast.Name(id=function)]
            ):
                if name == INTERFACE:
                    yield function


def _known_arguments(tree: ast.Module, registered: set[str]) -> Iterator[str]:
    """The parameters of a registered function, and what a fuser looks for in the call itself."""
    for node in walk(tree):
        match node:
            case ast.FunctionDef(name=name, args=arguments) if name in registered:
                yield from (argument.arg for argument in arguments.args + arguments.kwonlyargs)
            case ast.Compare(left=ast.Attribute(attr="arg"), comparators=[ast.Constant(value=str() as name)]):
                yield name


def _fields(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Each configuration that is read, as it is called there, with the field."""
    for node in walk(function):
        match node:
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr"), args=[owner, ast.Constant(value=str() as field), *_]
            ):
                pass
            case ast.Attribute(value=owner, attr=field):
                pass
            case _:
                continue
        name = dotted_name(owner) or ""
        if name in ("self.config", "text_config", "self.text_config"):
            yield name, field


def _compared(function: ast.FunctionDef) -> Iterator[str]:
    for node in walk(function):
        match node:
            case ast.Compare(left=ast.Subscript(), comparators=[ast.Constant(value=str() as text)]):
                yield text
