"""A row of the table: what is measured, against what, and the bounds that it must hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.measurement import Command, Measurement

SLACK = 1.5
"""A bound that is missed by more than this factor fails the run: less may be a slow machine."""


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison. A bound of None is not asked for; a ratio's is of the subject's time to the reference's."""

    what: str
    subject: Command
    against: str
    reference: Command | None
    """None where this machine lacks what the subject is compared with; `against` says so."""
    most_seconds: float | None = None
    most_ratio: float | None = None
    most_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A row with its measurements."""

    row: Row
    subject: Measurement
    reference: Measurement | None

    @property
    def ratio(self) -> float | None:
        """How many times the reference's time the subject takes. None without a reference."""
        return None if self.reference is None else self.subject.seconds / self.reference.seconds

    @property
    def excess_of_ratio(self) -> float:
        """The ratio, divided by what is allowed; nought where none is asked for."""
        return 0.0 if self.ratio is None or self.row.most_ratio is None else self.ratio / self.row.most_ratio

    @property
    def excess(self) -> float:
        """The worst of the bounds: what was measured, divided by what is allowed."""
        pairs = (
            (self.subject.seconds, self.row.most_seconds),
            (self.ratio, self.row.most_ratio),
            (self.subject.peak_bytes, self.row.most_bytes),
        )
        return max((have / most for have, most in pairs if have is not None and most is not None), default=0.0)
