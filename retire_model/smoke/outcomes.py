"""What a run ended with, and what a check says."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path  # noqa: TC003 - part of a public field
from typing import Any


@dataclass(frozen=True, slots=True)
class Ran:
    """The run came to its end."""

    told: dict[str, Any]
    seconds: float
    log: Path


@dataclass(frozen=True, slots=True)
class Broke:
    """The engine failed: it says so, it crashed, or it never came to an end."""

    error: str
    """In one line, as the engine has it."""
    seconds: float
    log: Path
    told: dict[str, Any] = field(default_factory=dict)
    """What came before."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """The run was ended from outside: killed, or its disk was full. That says nothing about the model."""

    reason: str
    seconds: float
    log: Path


RunOutcome = Ran | Broke | CutOff


@dataclass(frozen=True, slots=True)
class Passed:
    """The check holds."""

    note: str = ""
    difference: float | None = None
    """The largest difference of log-probabilities seen, where the check compares any."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The check does not hold, and its control does."""

    reason: str
    difference: float | None = None


@dataclass(frozen=True, slots=True)
class Inconclusive:
    """The check cannot tell: its control fails as well."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotRun(Inconclusive):
    """The check cannot tell: one of its runs was ended from outside."""


Outcome = Passed | Failed | Inconclusive


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the report."""

    name: str
    outcome: Outcome
    logs: tuple[Path, ...] = ()
    explanations: tuple[str, ...] = ()
    """What reading the sources says about it."""
