"""Reads how a model's attention modules compute attention: through the interface, or by themselves.

The engine's backend sets its own attention implementation, which only modules that look one up in
`ALL_ATTENTION_FUNCTIONS` ever call. A call counts as vLLM 0.33.0 counts it (`fusers/attention.py`): a local
name assigned from the interface, and called.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.release.attention_arguments import AttentionArgument, read_arguments
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.model_modules import ModelModules
    from analyzer.source.classes import ClassResolver, ClassSource, Method

INTERFACE = "ALL_ATTENTION_FUNCTIONS"
_ATTENTION_NAME = re.compile(r"att(e?n(tion)?)?", re.IGNORECASE)
_OWN_ATTENTION = frozenset({"softmax", "scaled_dot_product_attention", "flash_attn_func", "baddbmm"})


@dataclass(frozen=True, slots=True)
class AttentionModule:
    """A class that computes attention."""

    name: str
    location: Location
    dispatches: tuple[Location, ...]
    """The calls of what was looked up in the interface."""
    own_computation: Location | None
    """Where it computes attention by itself: a softmax or a fused kernel in one of its methods."""
    has_layer_index: bool = True
    """A constructor sets `self.layer_idx`, by which the engine finds the cache of the layer."""
    always_bidirectional: bool = False
    """It sets `is_causal` to False on every instance, by which the engine tells an encoder."""
    keeps_configuration: bool = True
    """A constructor sets `self.config`, by which the engine tells whose attention it is."""
    scale_is_no_number: bool = False
    """What it hands over as its scale is an attribute that is None or a tensor."""
    arguments: tuple[AttentionArgument, ...] = ()
    """What the first of these calls hands over besides query, key and value."""


def read_attention_modules(resolver: ClassResolver, modules: ModelModules) -> tuple[AttentionModule, ...]:
    """The attention modules among `modules`, in the order they were reached."""
    found = (_read(resolver, c, modules.attribute_of.get((c.file, c.name), "")) for c in modules.classes)
    return tuple(module for module in found if module is not None)


def _read(resolver: ClassResolver, source: ClassSource, attribute: str) -> AttentionModule | None:
    forward = resolver.method(source, "forward")
    calls = tuple(dispatches(forward)) if forward is not None else ()
    if forward is not None and calls:
        places = tuple(location_of(call, forward.owner.file) for call in calls)
        arguments = tuple(read_arguments(resolver, source, forward, calls[0]))
        return AttentionModule(
            source.name,
            source.location,
            places,
            None,
            _sets(resolver, source, "layer_idx"),
            _bidirectional(resolver, source),
            _sets(resolver, source, "config"),
            _scale_is_no_number(resolver, source, calls[0]),
            arguments,
        )
    if not (_ATTENTION_NAME.search(source.name) or _ATTENTION_NAME.search(attribute)):
        return None
    own = next((place for method in resolver.methods(source) for place in _own_attention(method)), None)
    return AttentionModule(source.name, source.location, (), own) if own is not None else None


def _sets(resolver: ClassResolver, source: ClassSource, attribute: str) -> bool:
    """In a class of another file too: a base that cannot be read is given the benefit of the doubt."""
    members = resolver.linearization(source)
    return any(
        node.attr == attribute and isinstance(node.ctx, ast.Store)
        for member in members
        for node in every(member.node, ast.Attribute)
    )


def _scale_is_no_number(resolver: ClassResolver, source: ClassSource, call: ast.Call) -> bool:
    """Whether `scaling=self.x` reads an attribute that every assignment makes None or a tensor."""
    given = next((k.value for k in call.keywords if k.arg == "scaling"), None)
    if not isinstance(given, ast.Attribute):
        return False
    values = [
        node.value
        for member in resolver.linearization(source)
        for node in every(member.node, ast.Assign)
        if ast.unparse(node.targets[0]) == ast.unparse(given)
    ]
    return bool(values) and all(_is_no_number(value) for value in values)


def _is_no_number(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=None):
            return True
        case ast.Call(func=called):
            return ast.unparse(called).endswith(("Parameter", "torch.tensor", "torch.ones", "torch.full"))
        case _:
            return False


def _bidirectional(resolver: ClassResolver, source: ClassSource) -> bool:
    for member in resolver.linearization(source):
        for node in walk(member.node):
            match node:
                case ast.Assign(
                    targets=[ast.Attribute(attr="is_causal") | ast.Name(id="is_causal")],
                    value=ast.Constant(value=value),
                ):
                    return value is False
                case ast.AnnAssign(
                    target=ast.Attribute(attr="is_causal") | ast.Name(id="is_causal"), value=ast.Constant(value=value)
                ):
                    return value is False
    return False


def dispatches(forward: Method) -> Iterator[ast.Call]:
    """The calls of what a forward looked up in the interface."""
    targets = [t for node in every(forward.node, ast.Assign) if is_lookup(node.value) for t in node.targets]
    targets += [node.target for node in every(forward.node, ast.AnnAssign) if is_lookup(node.value)]
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    for call in every(forward.node, ast.Call) if names else ():
        if isinstance(call.func, ast.Name) and call.func.id in names:
            yield call


def is_lookup(node: ast.expr | None) -> bool:
    """Whether it takes a function from the interface, by a key or by a call of a method of it."""
    if isinstance(node, ast.Call):
        node = node.func
    match node:
        case ast.Attribute(value=ast.Name(id=name)) | ast.Subscript(value=ast.Name(id=name)):
            return name == INTERFACE
        case _:
            return False


def _own_attention(method: Method) -> Iterator[Location]:
    for node in every(method.node, ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
                if name in _OWN_ATTENTION:
                    yield location_of(node, method.owner.file)
