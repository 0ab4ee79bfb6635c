"""Reads which configuration fields a model's code asks for, on the engine's side and on the Hugging Face side."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.classes import end_of_dotted_name
from analyzer.source.syntax import every, kept_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.engine.bespoke_parts import BespokePart

_MODEL_CONFIGURATIONS = ("config", "hf_config", "hf_text_config", "text_config")
"""What the engine's modeling files call the model's configuration; `cache_config` and its like are the engine's own."""
_DICTIONARY_METHODS = frozenset({"pop", "get", "update", "items", "keys", "to_dict"})
_ENGINE_CONFIGURATIONS = ("VllmConfig", "ModelConfig", "CacheConfig", "QuantizationConfig", "ParallelConfig")


@dataclass(frozen=True, slots=True)
class ConfigurationRead:
    """A field that is read, once for each field."""

    field: str
    required: bool
    """Read without a default and without a condition: a configuration that does not have it is an error."""
    location: Location


def read_configuration_reads(parts: Iterable[BespokePart]) -> tuple[ConfigurationRead, ...]:
    """The fields of the model's configuration that the parts of a hand-written class read, in order."""
    found: dict[str, ConfigurationRead] = {}
    for part in parts:
        for function in _functions(part.node):
            for field, required, tested, node in kept_with(function, "configuration_reads", partial(_kept, function)):
                known = found.get(field)
                if known is None or (known.required and not required):
                    # One place with a default shows that the field may be missing.
                    place = location_of(node, part.file)
                    found[field] = ConfigurationRead(field, required and not tested, place)
    return tuple(found.values())


def _kept(function: ast.FunctionDef) -> tuple[tuple[str, bool, bool, ast.expr], ...]:
    """Of each read the field, whether it is required and whether the function asks if there is one, and the place."""
    if _engine_configuration(function):
        return ()
    tested = set(_tested(function))
    return tuple((field, required, field in tested, node) for field, required, node in _reads(function))


def _functions(node: ast.ClassDef | ast.FunctionDef) -> Iterator[ast.FunctionDef]:
    if isinstance(node, ast.FunctionDef):
        yield node
    else:
        yield from (statement for statement in node.body if isinstance(statement, ast.FunctionDef))


def _engine_configuration(function: ast.FunctionDef) -> bool:
    """Whether `config` is one of the engine's own in this function."""
    for argument in function.args.args + function.args.kwonlyargs:
        if argument.arg == "config" and argument.annotation is not None:
            return ast.unparse(argument.annotation).partition(" ")[0] in _ENGINE_CONFIGURATIONS
    return False


def _reads(function: ast.FunctionDef) -> Iterator[tuple[str, bool, ast.expr]]:
    conditional = {id(attribute) for part in _conditional(function) for attribute in every(part, ast.Attribute)}
    for node in every(function, ast.Attribute):
        if not isinstance(node.ctx, ast.Load) or node.attr.startswith("_") or node.attr in _DICTIONARY_METHODS:
            continue
        if _is_model_configuration(node.value):
            yield node.attr, id(node) not in conditional, node
    for call in every(function, ast.Call):
        match call:
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str() as field), *rest]):
                if _is_model_configuration(owner):
                    yield field, not rest, call


def _conditional(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What runs only if a condition says so, such as that the configuration has some other field."""
    for branch in every(function, ast.If):
        yield from branch.body + branch.orelse
    for choice in every(function, ast.IfExp):
        yield from (choice.body, choice.orelse)
    for condition in every(function, ast.BoolOp):
        yield from condition.values[1:]


def _tested(function: ast.FunctionDef) -> Iterator[str]:
    for node in every(function, ast.Call):
        match node:
            case ast.Call(func=ast.Name(id="hasattr"), args=[owner, ast.Constant(value=str() as field)]):
                if _is_model_configuration(owner):
                    yield field


def _is_model_configuration(owner: ast.expr) -> bool:
    return end_of_dotted_name(owner) in _MODEL_CONFIGURATIONS
