"""Reads what a hand-written class does with a checkpoint's weights on their way to its parameters.

Facts of vLLM 0.11.2 to 0.33.0: a class attribute `hf_to_vllm_mapper`, the lists given to `AutoWeightsLoader`, and
the statements of `load_weights` and of what it calls.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.classes import dotted_name
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.engine.bespoke_parts import BespokePart

_LOADER = "AutoWeightsLoader"
_MAPPER = "WeightsMapper"
_RESHAPES = frozenset({"t", "transpose", "permute", "chunk", "split", "tensor_split", "repeat_interleave", "flip"})
_WEIGHTS = ("weight", "loaded_weight", "tensor", "param", "w", "loaded", "data")


@dataclass(frozen=True, slots=True)
class WeightRule:
    """A part of a weight's name that is replaced by another (None: the weight is dropped)."""

    pattern: str
    replacement: str | None
    location: Location


@dataclass(frozen=True, slots=True)
class Reshaping:
    """An operation on a weight's values."""

    operation: str
    source: str
    location: Location


@dataclass(frozen=True, slots=True)
class WeightLoading:
    """What happens to weights between the checkpoint and the parameters."""

    rules: tuple[WeightRule, ...]
    reshapings: tuple[Reshaping, ...]
    ties: Location | None
    """Where it shares the embedding's weights with the output projection."""


def read_weight_loading(parts: Iterable[BespokePart]) -> WeightLoading:
    """Read the parts of a hand-written class."""
    rules: dict[str, WeightRule] = {}
    reshapings: list[Reshaping] = []
    ties: Location | None = None
    for part in parts:
        for function in every(part.node, ast.FunctionDef):
            if "weight" in function.name and "init" not in function.name:
                for rule in _skipped(function, part.file):
                    rules.setdefault(rule.pattern, rule)
                reshapings += _reshapings(function, part.file)
        for call in every(part.node, ast.Call):
            if (dotted_name(call.func) or "").endswith((_LOADER, _MAPPER)):
                for rule in _of_call(call, part.file):
                    rules.setdefault(rule.pattern, rule)
        if ties is None:
            read = (node for node in every(part.node, ast.Attribute) if node.attr == "tie_word_embeddings")
            ties = next((location_of(node, part.file) for node in read), None)
    unique = {(r.operation, r.source): r for r in reversed(reshapings)}
    return WeightLoading(tuple(rules.values()), tuple(reversed(unique.values())), ties)


def _of_call(call: ast.Call, file: str) -> Iterator[WeightRule]:
    for keyword in call.keywords:
        match keyword.value:
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(value, ast.Constant):
                        text = value.value if isinstance(value.value, str) else None
                        yield WeightRule(key.value, text, location_of(key, file))
            case ast.List() | ast.IfExp() as value if (keyword.arg or "").startswith("skip_"):
                for node in walk(value):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        yield WeightRule(node.value, None, location_of(node, file))


def _skipped(function: ast.FunctionDef, file: str) -> Iterator[WeightRule]:
    """`if "rotary_emb.inv_freq" in name: continue`, for each string of the test."""
    for node in every(function, ast.If):
        match node:
            case ast.If(test=test, body=[ast.Continue()]) if not _negated(test):
                for part in walk(test):
                    match part:
                        case ast.Compare(left=ast.Constant(value=str() as text), ops=[ast.In()]):
                            yield WeightRule(text, None, location_of(part, file))
                        case ast.Call(func=ast.Attribute(attr="startswith"), args=[ast.Constant(value=str() as text)]):
                            yield WeightRule(text, None, location_of(part, file))


def _negated(test: ast.expr) -> bool:
    """Whether a second condition decides too, such as that the model has no such parameter."""
    return any(
        isinstance(node, ast.Not | ast.NotIn) or (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And))
        for node in walk(test)
    )


def _reshapings(function: ast.FunctionDef, file: str) -> Iterator[Reshaping]:
    for node in every(function, ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=operation)) if operation in _RESHAPES:
                name = (dotted_name(owner) or _called_name(owner)).rpartition(".")[2]
                if name in _WEIGHTS or name.endswith(_WEIGHTS[:3]):
                    yield Reshaping(operation, ast.unparse(node).partition("\n")[0], location_of(node, file))


def _called_name(owner: ast.expr) -> str:
    """The name at the start of a chain of calls: `loaded_weight.view(…)` for `loaded_weight.view(…).transpose(…)`."""
    while isinstance(owner, ast.Call | ast.Attribute | ast.Subscript):
        owner = owner.func if isinstance(owner, ast.Call) else owner.value
    return owner.id if isinstance(owner, ast.Name) else ""
