"""Follows values through the forward of a module class: which linear reads what, and where attention takes it.

All branches count, but for those that a cache would take.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.release.attention import is_lookup
from analyzer.release.gated_units import read_gated_unit
from analyzer.release.projected_values import ValueReader
from analyzer.release.projection_facts import NOWHERE, PARAMETER, Projections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from analyzer.release.head_counts import Width
    from analyzer.source.classes import Method


def read_projections(
    forward: Method,
    methods: Mapping[str, Method],
    linears: Iterable[str],
    opaque: Iterable[str],
    widths: Mapping[str, Width],
    fields: Mapping[str, Width],
    switches: Mapping[str, bool],
    full_widths: Mapping[str, bool],
    function: Callable[[str, str], Method | None],
) -> Projections:
    """Follow `forward`. Children in `opaque` are modules with linears of their own: what they return is new.

    `switches` are attributes that are true or false by default; of a branch on one, that side alone is followed.
    `full_widths` are norms and parameters as wide as all heads, with whether each norms by the root mean square;
    `function` finds a function of a file, which is followed for what it reshapes.
    """
    reader = _ForwardReader(
        forward, methods, frozenset(linears), frozenset(opaque), widths, fields, switches, full_widths, function
    )
    reader.run()
    return Projections(
        tuple(reader.linear_calls),
        tuple(reader.reshapes),
        tuple(reader.full_widths),
        tuple(reader.cuts),
        tuple(reader.attention_calls),
        read_gated_unit(forward, reader.linears),
        reader.returned,
        reader.traced,
    )


class _ForwardReader(ValueReader):
    """Follows the statements."""

    def run(self) -> None:
        self.file = self.forward.owner.file
        arguments = self.forward.node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)[1:]:
            self.names[argument.arg] = frozenset({f"{PARAMETER}{argument.arg}"})
        self.block(self.forward.node.body)

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self.assign(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign([target], value)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                self.names[name] = self.value(ast.BinOp(target, op, value))
            case ast.Expr(value=value):
                self.value(value)
            case ast.Return(value=ast.expr() as value):
                first = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
                self.returned |= self.value(first)
                for other in value.elts[1:] if isinstance(value, ast.Tuple) else ():
                    self.value(other)
            case ast.If(test=test, body=body, orelse=orelse):
                self.branch(test, body, orelse)
            case ast.For(target=target, iter=over, body=body):
                self.bind(target, self.value(over))
                self.block(body)
            case ast.With(body=body) | ast.Try(body=body):
                self.block(body)

    def branch(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        """Both branches, one after the other; none that only a cache takes."""
        decided = self.decided(test)
        if decided is not None:
            self.block(body if decided else orelse)
            return
        self.value(test)
        if self.depth == 0 and self._asks_for_values(test):
            self.traced = False
        before = dict(self.names)
        self.block(body)
        after = self.names
        self.names = before
        self.block(orelse)
        for name, origins in after.items():
            self.names[name] = self.names.get(name, NOWHERE) | origins

    def _asks_for_values(self, test: ast.expr) -> bool:
        """Whether the branch depends on what a tensor holds, where a symbolic trace ends."""
        match test:
            case ast.Compare(ops=ops, left=left, comparators=others):
                if all(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in ops):
                    return False
                return any(self.value(side) for side in (left, *others) if not isinstance(side, ast.Constant))
            case ast.BoolOp(values=values):
                return any(self._asks_for_values(value) for value in values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._asks_for_values(operand)
            case ast.Name(id=name):
                return any(not o.startswith(PARAMETER) for o in self.names.get(name, NOWHERE))
            case _:
                return False

    def assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        for target in targets:
            if isinstance(target, ast.Name) and is_lookup(value):
                self.interfaces.add(target.id)
                return
        if isinstance(value, ast.Tuple) and len(targets) == 1 and isinstance(targets[0], ast.Tuple):
            found = [self.value(part) for part in value.elts]
            for target, origins in zip(targets[0].elts, found, strict=False):
                self.bind(target, origins)
            return
        origins = self.value(value)
        for target in targets:
            self.bind(target, origins)
            if isinstance(target, ast.Name) and isinstance(value, ast.Tuple | ast.List | ast.BinOp):
                self.sizes[target.id] = self.known_sizes(value)
