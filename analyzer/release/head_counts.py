"""Tells which attributes of a module count heads: those that change with the number of heads.

A width is followed as a product of three unknowns: query heads, key-value heads and the size of one head. So
`config.hidden_size // self.num_heads` is the size of one head, and `self.num_heads * self.head_dim` counts them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.source.syntax import every

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from analyzer.source.classes import Method


@dataclass(frozen=True, slots=True)
class Width:
    """heads ** heads * key_value_heads ** key_value_heads * head_size ** head_size, up to a constant factor."""

    heads: int = 0
    key_value_heads: int = 0
    head_size: int = 0

    @property
    def counts_heads(self) -> bool:
        """Whether it grows with the number of heads that a rank holds; a ratio of the two kinds does not."""
        return self.heads + self.key_value_heads > 0

    def times(self, other: Width, sign: int = 1) -> Width:
        """The product with `other`, or with `sign` -1 the quotient."""
        return Width(
            self.heads + sign * other.heads,
            self.key_value_heads + sign * other.key_value_heads,
            self.head_size + sign * other.head_size,
        )


CONSTANT = Width()
_FIELDS = {
    "num_attention_heads": Width(heads=1),
    "num_key_value_heads": Width(key_value_heads=1),
    "hidden_size": Width(heads=1, head_size=1),
    "head_dim": Width(head_size=1),
}
"""Fields of `PreTrainedConfig`, by their standard names; a class's `attribute_map` leads other names to these."""
_OTHER_NAMES = {
    "n_head": "num_attention_heads",
    "n_heads": "num_attention_heads",
    "num_heads": "num_attention_heads",
    "n_embd": "hidden_size",
    "d_model": "hidden_size",
    "embed_dim": "hidden_size",
    "decoder_attention_heads": "num_attention_heads",
    "encoder_attention_heads": "num_attention_heads",
    "kv_channels": "head_dim",
    "v_head_dim": "head_dim",
    "qk_head_dim": "head_dim",
    "num_query_groups": "num_key_value_heads",
    "multi_query_group_num": "num_key_value_heads",
}


def field_names(attribute_map: Mapping[str, str]) -> dict[str, Width]:
    """The width behind each field name, with the names that `attribute_map` gives to standard fields."""
    widths = dict(_FIELDS) | {name: _FIELDS[standard] for name, standard in _OTHER_NAMES.items()}
    for standard, own in attribute_map.items():
        if standard in _FIELDS:
            widths[own] = _FIELDS[standard]
    return widths


def attribute_widths(constructors: Iterable[Method], fields: Mapping[str, Width]) -> dict[str, Width]:
    """For each attribute that a constructor sets to a width, that width. Parents' constructors come first."""
    known: dict[str, Width] = {}
    for method in constructors:
        names: dict[str, Width] = {a.arg: fields[a.arg] for a in method.node.args.args if a.arg in fields}
        for node in every(method.node, ast.Assign):
            match node:
                case ast.Assign(targets=[target], value=value):
                    found = width_of(value, fields, known, names)
                    if found is None:
                        continue
                    if isinstance(target, ast.Name):
                        names[target.id] = found
                    elif isinstance(target, ast.Attribute):
                        known[target.attr] = found
    return known


def sized_attributes(
    constructors: Iterable[Method], fields: Mapping[str, Width], known: Mapping[str, Width]
) -> Iterator[tuple[str, ast.Call, Method]]:
    """The attributes that are built by a call whose size counts heads: `(name, call, constructor)`."""
    for method in constructors:
        names = {
            node.targets[0].id: width
            for node in every(method.node, ast.Assign)
            if isinstance(node.targets[0], ast.Name) and (width := width_of(node.value, fields, known, {})) is not None
        }
        for node in every(method.node, ast.Assign):
            match node:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Call() as call
                ):
                    widths = (width_of(size, fields, known, names) for size in _sizes(call))
                    if any(width is not None and width.counts_heads for width in widths):
                        yield name, call, method


def _sizes(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments, those of a tensor that is built within, and the parts of a tuple."""
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        match argument:
            case ast.Call(func=ast.Attribute()):
                yield from _sizes(argument)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                yield from parts
            case _:
                yield argument


def width_of(
    node: ast.expr, fields: Mapping[str, Width], attributes: Mapping[str, Width], names: Mapping[str, Width]
) -> Width | None:
    """The width that an expression stands for; None where it cannot be told."""
    match node:
        case ast.Constant(value=int() | float()):
            return CONSTANT
        case ast.Name(id=name):
            return names.get(name)
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            return attributes.get(attr)
        case ast.Attribute(value=owner, attr=attr) if _is_configuration(owner):
            return fields.get(attr)
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str() as attr), *_]):
            return fields.get(attr) if _is_configuration(owner) else None
        case ast.Call(func=ast.Name(id="int"), args=[inner]):
            return width_of(inner, fields, attributes, names)
        case ast.BoolOp(values=values):
            return next((w for v in values if (w := width_of(v, fields, attributes, names)) is not None), None)
        case ast.IfExp(body=body, orelse=orelse):
            first = width_of(body, fields, attributes, names)
            return first if first is not None else width_of(orelse, fields, attributes, names)
        case ast.BinOp(left=left, op=ast.Mult() | ast.FloorDiv() | ast.Div() as op, right=right):
            one, other = (width_of(side, fields, attributes, names) for side in (left, right))
            if one is None or other is None:
                return None
            return one.times(other, 1 if isinstance(op, ast.Mult) else -1)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            sides = [width_of(side, fields, attributes, names) for side in (left, right)]
            return max((w for w in sides if w is not None), key=lambda w: (w.counts_heads, w.head_size), default=None)
        case _:
            return None


def _is_configuration(node: ast.expr) -> bool:
    return ast.unparse(node).endswith("config")
