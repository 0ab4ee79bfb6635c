"""What a review says: a remark about one place of the changed tree, and the lines that would mend it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.locations import Location


class Severity(StrEnum):
    """How much a remark weighs."""

    ERROR = "error"
    """Something breaks."""
    WARNING = "warning"
    """Something is left undone, or wrong, and nothing breaks at once."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Lines of a file that become others."""

    file: str
    first: int
    """The first line that goes, counted from 1; of an insertion the line that it comes before."""
    last: int
    """The last line that goes; `first - 1` for an insertion."""
    lines: tuple[str, ...]
    """What stands there afterwards, each with its end of line."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to say about a change."""

    location: Location
    """In the changed tree."""
    code: str
    severity: Severity
    message: str
    remedy: str
    fix: tuple[Replacement, ...] = ()
    """Empty where only a person can mend it, or where a whole file is to come or go."""
