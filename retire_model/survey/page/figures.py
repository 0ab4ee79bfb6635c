"""The numbers and places of the page's figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.findings import Capability
from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retire_model.survey.rows import Row

NAMES = {
    Verdict.RETIRE: "can go, nothing is lost",
    Verdict.RETIRE_WITH_LOSSES: "can go, with losses",
    Verdict.UNPROVEN: "cannot be told by reading",
    Verdict.KEEP: "have to stay",
}
ROW_HEIGHT = 18
COLUMN = 460
TOP = 14


@dataclass(frozen=True, slots=True)
class Figure:
    """A headline number."""

    verdict: str
    name: str
    models: int
    lines: int


@dataclass(frozen=True, slots=True)
class Node:
    """A module in the graph."""

    name: str
    x: int
    y: int
    end: bool
    """Whether its name stands before its dot."""
    eligible: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """One module needs another; both are numbers of nodes."""

    first: int
    second: int
    path: str


@dataclass(frozen=True, slots=True)
class Graph:
    """Modules that can go on the left, what needs them on the right."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    height: int


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a plot."""

    name: str
    value: int
    percent: float


def figures(rows: Sequence[Row]) -> tuple[Figure, ...]:
    """How many models and lines each verdict has."""
    of = {verdict: [row for row in rows if row.verdict is verdict] for verdict in NAMES}
    return tuple(Figure(v.value, NAMES[v], len(found), sum(r.lines_saved for r in found)) for v, found in of.items())


def heat_map(rows: Sequence[Row]) -> tuple[tuple[Row, tuple[tuple[str, str], ...]], ...]:
    """For each model that may go the status of every capability; of the others all would be lost."""
    return tuple(
        (row, tuple((c.value, row.judgement.capabilities[c].status.value) for c in Capability))
        for row in rows
        if row.verdict is not Verdict.KEEP
    )


def graph(rows: Sequence[Row], needs: Mapping[str, frozenset[str]]) -> Graph:
    """What imports the models that can go."""
    eligible = {row.module for row in rows if row.eligible}
    left = sorted((m for m in eligible if needs[m]), key=lambda m: (-len(needs[m]), m))
    # What needs a module stands beside it, as far as there is room.
    right = list(dict.fromkeys(user for module in left for user in sorted(needs[module])))
    step = (len(right) - 1) / max(len(left) - 1, 1)
    nodes = [Node(m, COLUMN // 2, TOP + round(i * max(step, 1) * ROW_HEIGHT), True, True) for i, m in enumerate(left)]
    nodes += [Node(m, COLUMN, TOP + i * ROW_HEIGHT, False, m in eligible) for i, m in enumerate(right)]
    at = {name: len(left) + number for number, name in enumerate(right)}
    edges = [
        Edge(number, at[user], _curve(nodes[number], nodes[at[user]]))
        for number, module in enumerate(left)
        for user in sorted(needs[module])
    ]
    return Graph(tuple(nodes), tuple(edges), TOP + max((node.y for node in nodes), default=0) + ROW_HEIGHT)


def _curve(start: Node, end: Node) -> str:
    middle = (start.x + end.x) // 2
    return f"M{start.x} {start.y} C{middle} {start.y} {middle} {end.y} {end.x} {end.y}"


def bars(values: Sequence[tuple[str, int]]) -> tuple[Bar, ...]:
    """A bar for each value, the largest the whole height."""
    most = max((value for _, value in values), default=0) or 1
    return tuple(Bar(name, value, 100 * value / most) for name, value in values)
