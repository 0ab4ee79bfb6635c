"""Reads what a head class does around its output projection: the part that the engine's backend replaces.

The backend builds the base model and a head of its own, so that whatever `forward` of the head class does to
hidden states or logits is lost unless the backend does it too.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeGuard

from analyzer.locations import Location, location_of
from analyzer.release.logits_steps import read_logits_steps
from analyzer.source.classes import (
    ClassResolver,
    ClassSource,
    Method,
    dotted_name,
    end_of_dotted_name,
    is_own_attribute,
)
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHANGES_VALUES = frozenset(
    {
        "tanh",
        "mul",
        "div",
        "sub",
        "add",
        "clamp",
        "softmax",
        "mul_",
        "div_",
        "add_",
        "where",
        "masked_fill",
        "masked_fill_",
        "clip",
    }
)
_HOLD_WEIGHTS = frozenset({"Linear", "LayerNorm", "RMSNorm", "Embedding", "Conv1d", "Sequential"})


@dataclass(frozen=True, slots=True)
class HeadOperation:
    """An operation of the head's forward that changes values."""

    source: str
    fields: tuple[str, ...]
    """The configuration fields that it reads, directly or through an attribute set from one."""
    location: Location


@dataclass(frozen=True, slots=True)
class HeadModule:
    """A module of the head class that `forward` calls, besides the base model and the output projection."""

    attribute: str
    kind: str
    transforms: bool
    """It does more than project to the vocabulary: a norm, or built of more than one linear, norm or module."""
    location: Location


@dataclass(frozen=True, slots=True)
class OutputHead:
    """The output projection of a head class and what is done around it."""

    projection: str | None
    """The attribute that holds the projection to the vocabulary; None where none was found."""
    bias: bool | None
    """Whether it has a bias; None where reading cannot tell."""
    location: Location
    operations: tuple[HeadOperation, ...]
    modules: tuple[HeadModule, ...] = ()
    """What else holds weights between the base model and the logits."""


def read_output_head(resolver: ClassResolver, head: ClassSource, base: ClassSource) -> OutputHead:
    """Read the head class of an architecture whose base model is `base`."""
    init, forward = resolver.method(head, "__init__"), resolver.method(head, "forward")
    if init is None or forward is None:
        return OutputHead(None, None, head.location, ())
    modules = tuple(_modules(resolver, init, forward, base))
    projection = _projection(init, forward)
    if projection is None:
        return OutputHead(None, None, head.location, (), modules)
    name, call = projection
    return OutputHead(
        name,
        _bias(call),
        location_of(call, init.owner.file),
        tuple(_operations(resolver, head, init, forward, name)),
        tuple(module for module in modules if module.attribute != name),
    )


def _modules(resolver: ClassResolver, init: Method, forward: Method, base: ClassSource) -> Iterator[HeadModule]:
    called = {node.func.attr for node in every(forward.node, ast.Call) if is_own_attribute(node.func)}
    for node in walk(init.node):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Call() as call):
                kind = dotted_name(call.func) or ""
                found = resolver.find_class(init.owner.file, kind)
                own = found is not None and found.file.startswith("transformers/models/")
                is_base = found is not None and (found.name == base.name or _holds_layers(resolver, found))
                if name in called and not is_base and (own or _holds_weights(kind)):
                    transforms = found is None or found.name.endswith("Norm") or len(list(_parts(resolver, found))) > 1
                    yield HeadModule(name, kind, transforms, location_of(call, init.owner.file))


def _parts(resolver: ClassResolver, source: ClassSource) -> Iterator[ast.Call]:
    """The linears and norms that a head's own class builds, its inner classes counted as two."""
    init = resolver.method(source, "__init__")
    for node in walk(init.node) if init is not None else ():
        if isinstance(node, ast.Call):
            kind = dotted_name(node.func) or ""
            found = resolver.find_class(source.file, kind) if init is not None else None
            if _holds_weights(kind):
                yield node
            elif found is not None and found.file.startswith("transformers/models/"):
                yield from (node, node)


def _holds_weights(kind: str) -> bool:
    return kind.rpartition(".")[2] in _HOLD_WEIGHTS


def _holds_layers(resolver: ClassResolver, source: ClassSource) -> bool:
    """Whether a class is a model of its own: it inherits from a pretrained model."""
    return any(name.endswith("PreTrainedModel") for name in resolver.base_names(source))


def _projection(init: Method, forward: Method) -> tuple[str, ast.Call] | None:
    """The last linear of the constructor that `forward` calls."""
    called = {node.func.attr for node in every(forward.node, ast.Call) if is_own_attribute(node.func)}
    found = None
    for node in walk(init.node):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Call() as call):
                if name in called and end_of_dotted_name(call.func).endswith("Linear"):
                    found = name, call
    return found


def _bias(call: ast.Call) -> bool | None:
    given = next((k.value for k in call.keywords if k.arg == "bias"), None)
    if given is None:
        given = call.args[2] if len(call.args) > 2 else ast.Constant(True)
    return bool(given.value) if isinstance(given, ast.Constant) else None


def _operations(
    resolver: ClassResolver, head: ClassSource, init: Method, forward: Method, projection: str
) -> Iterator[HeadOperation]:
    fields = {f"self.{name}": field for name, field in _fields_of_attributes(init) if name != projection}
    for step in read_logits_steps(forward.node, projection):
        if isinstance(step.value, ast.Attribute) and "config" in ast.unparse(step.value.value):
            fields[step.target] = step.value.attr
        if not (step.makes_logits or step.is_projected):
            continue
        projecting = next((n for n in walk(step.value) if _calls(n, projection)), None)
        expressions = [step.value, *(projecting.args[:1] if projecting is not None else ())]
        called = [f for e in expressions for f in _called(resolver, head, forward, e) if _computes(f)]
        if called or step.in_place or any(_changes_values(expression) for expression in expressions):
            yield HeadOperation(
                ast.unparse(step.statement).partition("\n")[0],
                tuple(dict.fromkeys(f for part in (step.statement, *called) for f in _read_fields(part, fields))),
                location_of(step.statement, forward.owner.file),
            )


def _called(resolver: ClassResolver, head: ClassSource, forward: Method, value: ast.expr) -> Iterator[ast.FunctionDef]:
    """The head's own methods and the functions of the models that an expression calls."""
    for node in walk(value):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                method = resolver.method(head, name)
                if method is not None and method.owner.file == head.file:
                    yield method.node
            case ast.Call(func=ast.Name(id=name)):
                found = resolver.resolve(forward.owner.file, name)
                if found is not None and isinstance(found[1], ast.FunctionDef):
                    yield found[1]


def _computes(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.BinOp | ast.Call) and _changes_values(node) for node in walk(function))


def _calls(node: ast.AST, attribute: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and is_own_attribute(node.func) and node.func.attr == attribute


def _changes_values(value: ast.expr) -> bool:
    """Whether the expression computes with its operands; picking positions and casting do not count."""
    match value:
        case ast.BinOp(left=ast.Tuple(elts=elements)):
            return any(_changes_values(element) for element in elements)
        case ast.BinOp():
            return True
        case ast.Call(func=ast.Attribute(attr=name)) if name in _CHANGES_VALUES:
            return True
        case ast.Call(func=ast.Attribute(value=inner)):
            return _changes_values(inner)
        case ast.Subscript(value=inner) | ast.Attribute(value=inner):
            return _changes_values(inner)
        case _:
            return False


def _fields_of_attributes(init: Method) -> Iterator[tuple[str, str]]:
    """`(attribute, field)` for each `self.attribute = config.field`."""
    for node in walk(init.node):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                for part in walk(value):
                    if not isinstance(part, ast.Attribute) or part.attr.endswith("config"):
                        continue
                    if (dotted_name(part.value) or "").endswith("config"):
                        yield name, part.attr


def _read_fields(statement: ast.AST, fields: dict[str, str]) -> Iterator[str]:
    for node in walk(statement):
        name = dotted_name(node) if isinstance(node, ast.Attribute | ast.Name) else None
        if name in fields:
            yield fields[name]
        elif isinstance(node, ast.Attribute) and (dotted_name(node.value) or "").endswith("config"):
            yield node.attr
