"""The facts of real retirements, and the change sets that repeat them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

KINDS = frozenset({"migrate", "remove", "plugin"})


@dataclass(frozen=True, slots=True)
class Retirement:
    """One module, or some of its architectures, between two releases."""

    before: str
    after: str
    kind: str
    module: str
    architectures: tuple[str, ...]
    value: str
    """The last version or the plugin's address; empty for what moved to the backend."""


@dataclass(frozen=True, slots=True)
class ReplayedSet:
    """What goes in one run of the tool: models of one release, of one kind, that may depend on each other."""

    before: str
    kind: str
    value: str
    architectures: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the command that say what becomes of the models."""
        match self.kind:
            case "remove":
                return ("--remove", "--last-version", self.value)
            case "plugin":
                return ("--plugin", self.value)
            case _:
                return ("--accept", "all")


def read_retirements(file: Path) -> list[Retirement]:
    """The retirements in `file`, without entries that vanished from the registry for another reason."""
    return [
        Retirement(
            fact["before"],
            fact["after"],
            fact["kind"],
            fact["module"],
            tuple(entry["architecture"] for entry in fact["entries"]),
            value if isinstance(value := fact["entries"][0]["value"], str) else "",
        )
        for fact in json.loads(file.read_text())
        if fact["kind"] in KINDS
    ]


def replayed_sets(retirements: Iterable[Retirement]) -> list[ReplayedSet]:
    """The change sets, in the order of the releases."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for retirement in retirements:
        key = (retirement.before, retirement.kind, retirement.value)
        found.setdefault(key, []).extend(retirement.architectures)
    return [ReplayedSet(*key, tuple(architectures)) for key, architectures in found.items()]
