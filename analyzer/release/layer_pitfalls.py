"""Reads what modules of a model do that holds with Transformers' own layers and masks, and not with an engine's."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.release.model_modules import constructors
from analyzer.source.classes import last_name
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.model_modules import ModelModules
    from analyzer.source.classes import ClassResolver, ClassSource, Method

MASK = "attention_mask"
_GUARDS = (ast.If, ast.IfExp, ast.BoolOp, ast.Assert, ast.While)
_LAYER = frozenset({"layer_idx", "layer_type", "layer_id", "layer_number"})
_HEADS = frozenset(
    {"head_dim", "num_heads", "num_attention_heads", "num_key_value_heads", "num_kv_heads", "n_head", "n_heads"}
)


@dataclass(frozen=True, slots=True)
class Pitfall:
    """One such place: what is done there, by which class."""

    class_name: str
    source: str
    location: Location


def read_mask_uses(resolver: ClassResolver, modules: ModelModules) -> tuple[Pitfall, ...]:
    """Where a forward below the base model takes a part of its attention mask without asking whether there is one.

    A mask that the forward makes itself is there.
    """
    return tuple(
        pitfall
        for source in modules.classes[1:]
        if (forward := resolver.method(source, "forward")) is not None
        for pitfall in _unguarded(source, forward)
    )


def _unguarded(source: ClassSource, forward: Method) -> Iterator[Pitfall]:
    names = [node for node in every(forward.node, ast.Name) if node.id == MASK]
    if not names:
        return
    guarded = {
        id(part)
        for node in walk(forward.node)
        if isinstance(node, _GUARDS) and any(p.id == MASK for p in every(_test(node), ast.Name))
        for part in walk(node)
    }
    made = min((name.lineno for name in names if isinstance(name.ctx, ast.Store)), default=sys.maxsize)
    for node in walk(forward.node):
        match node:
            case ast.Subscript(value=ast.Name(id=name)) | ast.Attribute(value=ast.Name(id=name)):
                if name == MASK and id(node) not in guarded and node.lineno < made:
                    yield _pitfall(source, node, forward)


def _test(node: ast.AST) -> ast.AST:
    return node.test if isinstance(node, ast.If | ast.IfExp | ast.Assert | ast.While) else node


def read_weight_uses(resolver: ClassResolver, modules: ModelModules) -> tuple[Pitfall, ...]:
    """Where a forward computes with the weight of a linear instead of calling it."""
    found: list[Pitfall] = []
    for source in modules.classes:
        forward = resolver.method(source, "forward")
        linears = modules.linears_of.get((source.file, source.name), ())
        if forward is None or not linears:
            continue
        # Its type and its device are the engine's weight's as well.
        harmless = {id(node.value) for node in every(forward.node, ast.Attribute) if _described(node)}
        for node in every(forward.node, ast.Attribute):
            match node:
                case ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=linear), attr="weight"):
                    if linear in linears and id(node) not in harmless:
                        found.append(_pitfall(source, node, forward))
    return tuple(found)


def _described(node: ast.Attribute) -> bool:
    return node.attr in ("dtype", "device", "shape")


def read_uneven_heads(resolver: ClassResolver, modules: ModelModules) -> tuple[Pitfall, ...]:
    """Where a constructor chooses the number or the size of heads by the layer."""
    return tuple(
        _pitfall(source, node.value, method)
        for source in modules.classes
        for method in constructors(resolver, source)
        for node in every(method.node, ast.Assign)
        if isinstance(node.value, ast.IfExp)
        if any(last_name(target) in _HEADS for target in node.targets)
        if not _names(node.value.test).isdisjoint(_by_layer(method))
    )


def _by_layer(method: Method) -> frozenset[str]:
    """The names whose values depend on the layer."""
    known = set(_LAYER)
    for _ in range(2):
        for node in every(method.node, ast.Assign):
            if not _names(node.value).isdisjoint(known):
                known.update(name for target in node.targets if (name := last_name(target)) and name not in _HEADS)
    return frozenset(known)


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in every(node, ast.Name)} | {part.attr for part in every(node, ast.Attribute)}


def _pitfall(source: ClassSource, node: ast.expr, method: Method) -> Pitfall:
    return Pitfall(source.name, ast.unparse(node), location_of(node, method.owner.file))
