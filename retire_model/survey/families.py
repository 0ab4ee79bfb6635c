"""Families: models whose modules need one another, and the order in which they can go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retire_model.survey.rows import Row


@dataclass(frozen=True, slots=True)
class Family:
    """Modules that hang together, with at least one that can be retired."""

    modules: tuple[str, ...]
    waves: tuple[tuple[str, ...], ...]
    """What can go first, what once that is gone, and so on; modules of one wave that need each other go together."""
    held: tuple[tuple[str, tuple[str, ...]], ...]
    """Modules that could go but for these, which need them and have to stay, or stand outside the models folder."""


def needs(rows: Sequence[Row]) -> dict[str, frozenset[str]]:
    """For each module what imports it: modules of the survey, and other files by their path.

    Who builds a model by its architecture's name gets the backend's class once it is retired: whether that will do is
    a part of the verdict.
    """
    owner = {file: row.module for row in rows for file in row.files}
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        users = {owner.get(file, file) for file in row.around.dependents}
        # What falls with the module itself is no obstacle.
        found[row.module] = frozenset(users - {row.module, *row.around.falls})
    return found


def families(rows: Sequence[Row]) -> tuple[Family, ...]:
    """The families with something to retire, the largest first."""
    users = needs(rows)
    eligible = {row.module for row in rows if row.eligible}
    return tuple(
        Family(tuple(sorted(group)), *order(group & eligible, users))
        for group in sorted(_groups(users), key=lambda group: (-len(group), min(group)))
        if len(group) > 1 and group & eligible
    )


def _groups(users: Mapping[str, frozenset[str]]) -> Iterable[set[str]]:
    """The modules that are connected, whichever way."""
    neighbours: dict[str, set[str]] = {module: set() for module in users}
    for module, needing in users.items():
        for user in needing & users.keys():
            neighbours[module].add(user)
            neighbours[user].add(module)
    left = dict.fromkeys(users)
    while left:
        group: set[str] = set()
        waiting = [next(iter(left))]
        while waiting:
            module = waiting.pop()
            if module not in group:
                group.add(module)
                left.pop(module, None)
                waiting.extend(neighbours[module])
        yield group


def order(
    eligible: set[str], users: Mapping[str, frozenset[str]]
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, tuple[str, ...]], ...]]:
    """The waves of those that can go, and what holds the others."""
    free = set(eligible)
    while held := {module for module in free if users[module] - free}:
        free -= held
    gone: set[str] = set()
    waves: list[tuple[str, ...]] = []
    while free - gone:
        # A circle of modules that need each other goes at once.
        wave = {module for module in free - gone if users[module] <= gone} or free - gone
        waves.append(tuple(sorted(wave)))
        gone |= wave
    holding = tuple((module, tuple(sorted(users[module] - free))) for module in sorted(eligible - free))
    return tuple(waves), holding
