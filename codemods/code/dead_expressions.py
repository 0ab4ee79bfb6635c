"""Judges expressions: which are about a model that is gone, and which items of them can be cut out alone."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Container = ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Call | ast.ImportFrom | ast.Import


@dataclass(frozen=True, slots=True, eq=False)
class ItemCut:
    """One item of a display, or one name of an import, that stands among others."""

    statement: ast.stmt
    container: Container
    index: int


@dataclass(frozen=True, slots=True, eq=False)
class StatementCut:
    """A whole statement of a block that keeps others."""

    statement: ast.stmt


@dataclass(frozen=True, slots=True, eq=False)
class BranchCut:
    """The branch of an `if` or `elif` that is never taken, and has others before or behind it."""

    statement: ast.If


Cut = ItemCut | StatementCut | BranchCut


class State(Enum):
    """What becomes of an expression."""

    ALIVE = auto()
    DEAD = auto()
    FALSE = auto()
    """A comparison with a model that never comes."""


@dataclass(frozen=True, slots=True)
class Dead:
    """What is dead already, for one file."""

    texts: frozenset[str]
    modules: frozenset[str]
    """Full names of modules."""
    names: frozenset[str]
    """Names of the file's own top level."""
    package: str
    """The package of the file, for relative imports."""
    takes_functions: bool
    """A function that uses something dead goes as a whole; else only items and branches do."""
    about_models: bool
    """A constant or helper that holds something dead goes, with all that uses it; else what uses it wants another."""
    spares_branches: bool = False
    """A function that uses something dead under a condition alone, as a test of several models does, stays."""
    keys: frozenset[str] = frozenset()
    """Plain words, dead only as the key of a dictionary of the file's top level."""


_VALUES = (ast.Constant, ast.Name, ast.List, ast.Set, ast.Tuple)
"""What may stand for the name of a model that is gone: nothing is equal to it any more."""


class ExpressionJudge:
    """Weighs the expressions of one file."""

    def __init__(self, dead: Dead) -> None:
        self.dead = dead
        self.cuts: list[Cut] = []
        self.statement: ast.stmt | None = None
        self.hidden: list[frozenset[str]] = []
        """Names that the functions around bind themselves."""

    def expressions(self, statement: ast.stmt, expressions: Iterable[ast.expr]) -> tuple[bool, list[Cut]]:
        """Whether one of the expressions of a statement is dead, and else what is to be cut out of them."""
        cuts: list[Cut] = []
        for expression in expressions:
            state, inner = self.state(statement, expression)
            if state is State.DEAD:
                return True, []
            cuts.extend(inner)
        return False, cuts

    def state(self, statement: ast.stmt, expression: ast.expr) -> tuple[State, list[Cut]]:
        """What becomes of an expression of a statement, and what is to be cut out of it where it lives on."""
        self.statement, self.cuts = statement, []
        return self._weigh(expression), self.cuts

    def _weigh(self, node: ast.expr, *, record: bool = False) -> State:
        known = len(self.cuts)
        state = self._judge(node, record=record)
        if state is not State.ALIVE:
            del self.cuts[known:]
        return state

    def _judge(self, node: ast.expr, *, record: bool) -> State:
        match node:
            case ast.Constant(value=str() as text):
                return State.DEAD if text in self.dead.texts or is_below(text, self.dead.modules) else State.ALIVE
            case ast.Name(id=name):
                hidden = any(name in names for names in self.hidden)
                return State.DEAD if name in self.dead.names and not hidden else State.ALIVE
            case ast.Subscript(value=value, slice=ast.Tuple(elts=parts)):
                states = [self._weigh(part) for part in (value, *parts)]
                return State.DEAD if State.DEAD in states else State.ALIVE
            case ast.List() | ast.Set() | ast.Tuple():
                return self._items(node, [self._weigh(e, record=True) for e in node.elts], record=record)
            case ast.Dict():
                return self._dictionary(node, list(zip(node.keys, node.values, strict=True)))
            case ast.Call(func=ast.Name(id=name), args=[]) if name.lower().endswith("dict") and node.keywords:
                return self._dictionary(node, [(None, keyword.value) for keyword in node.keywords])
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp(op=op, values=values):
                states = [self._weigh(value) for value in values]
                if State.DEAD in states:
                    return State.DEAD
                false = any if isinstance(op, ast.And) else all
                return State.FALSE if false(state is State.FALSE for state in states) else State.ALIVE
            case ast.BinOp(left=left, right=right):
                states = [self._weigh(left), self._weigh(right)]
                lists = any(isinstance(side, ast.List | ast.Tuple) for side in (left, right))
                return State.DEAD if State.DEAD in states and (not lists or State.ALIVE not in states) else State.ALIVE
        states = [self._weigh(child) for child in children(node)]
        return State.DEAD if State.DEAD in states else State.ALIVE

    def _items(self, node: ast.List | ast.Set | ast.Tuple, states: list[State], *, record: bool) -> State:
        dead = [index for index, state in enumerate(states) if state is State.DEAD]
        if dead and (len(dead) == len(states) or (record and isinstance(node, ast.Tuple))):
            return State.DEAD
        assert self.statement is not None  # noqa: S101 - expressions are weighed for a statement
        self.cuts.extend(ItemCut(self.statement, node, index) for index in dead)
        return State.ALIVE

    def _dictionary(self, node: ast.Dict | ast.Call, pairs: list[tuple[ast.expr | None, ast.expr]]) -> State:
        dead: list[int] = []
        for index, (key, value) in enumerate(pairs):
            states = [self._weigh(part, record=True) for part in (key, value) if part is not None]
            if State.DEAD in states or self._is_dead_key(key):
                dead.append(index)
                # What is set for an architecture by override is one setting, whatever else it holds.
                if isinstance(key, ast.Constant) and key.value == "architectures":
                    return State.DEAD
        if dead and len(dead) == len(pairs):
            return State.DEAD
        assert self.statement is not None  # noqa: S101 - expressions are weighed for a statement
        self.cuts.extend(ItemCut(self.statement, node, index) for index in dead)
        return State.ALIVE

    def _is_dead_key(self, key: ast.expr | None) -> bool:
        top = self.statement is not None and self.statement.col_offset == 0
        return top and isinstance(key, ast.Constant) and key.value in self.dead.keys

    def _compare(self, node: ast.Compare) -> State:
        dead = [side for side in (node.left, *node.comparators) if self._weigh(side) is State.DEAD]
        if not all(isinstance(side, _VALUES) for side in dead):
            # What would be compared can no longer be worked out.
            return State.DEAD
        return State.FALSE if dead and isinstance(node.ops[0], ast.Eq | ast.In | ast.Is) else State.ALIVE


def children(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions right below `node`, without those of the statements in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        elif not isinstance(child, ast.stmt):
            yield from children(child)


def is_below(path: str, modules: frozenset[str]) -> bool:
    """Whether a dotted path is one of `modules` or something in it."""
    return any(path == module or path.startswith(f"{module}.") for module in modules)
