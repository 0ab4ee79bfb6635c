"""Finds the gated unit of a feed-forward module, which some backends merge into one projection."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.release.projection_facts import GatedUnit
from analyzer.source.classes import is_own_attribute
from analyzer.source.syntax import every

if TYPE_CHECKING:
    from analyzer.source.classes import Method


def read_gated_unit(forward: Method, linears: frozenset[str]) -> GatedUnit | None:
    """The first one of `forward` whose gate and other branch are `linears`."""
    for node in every(forward.node, ast.BinOp):
        match node:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                for activated, up in ((left, right), (right, left)):
                    match activated, up:
                        case (
                            ast.Call(func=ast.Attribute() as act, args=[ast.Call(func=ast.Attribute() as gate)]),
                            ast.Call(func=ast.Attribute() as other),
                        ):
                            own = is_own_attribute(act) and is_own_attribute(gate) and is_own_attribute(other)
                            if own and act.attr not in linears and {gate.attr, other.attr} <= linears:
                                return GatedUnit(gate.attr, other.attr, act.attr)
    return None
