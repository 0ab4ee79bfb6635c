"""What stops an interpretation: a budget, an exception of the interpreted code, the end of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.locations import Location

MOST_STEPS = 600_000
"""Evaluated syntax nodes for one model. The largest real one of Transformers 5.24.0 needs a fifth of it."""

DEEPEST = 60
"""Nested calls of interpreted functions. Real models stay below twenty."""

LARGEST_CONTAINER = 200_000
"""Elements of a list, characters of a string: a multiplication beyond it is not carried out."""


class LimitReached(Exception):
    """The budget is spent: the model is too large, endless or hostile."""


class Raised(Exception):
    """The interpreted code raised `kind`, or an operation that it called would have."""

    def __init__(self, kind: str, message: str, location: Location | None = None, *, shape: bool = False) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.location = location
        self.shape = shape


class ShapeError(Exception):
    """A tensor operation that cannot work, in torch's own words."""


class TraceEnded(Exception):
    """A symbolic trace met something that it cannot record."""


class Budget:
    """Counts steps and depth."""

    __slots__ = ("depth", "steps")

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.steps = steps
        self.depth = 0

    def spend(self, steps: int) -> None:
        """Take `steps` off. Raises `LimitReached` when none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise LimitReached("the model takes too many steps to interpret")

    def enter(self) -> None:
        """One call deeper. Raises `LimitReached` when that is too deep."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.depth -= 1
            raise LimitReached("calls are nested too deeply")

    def leave(self) -> None:
        """One call back."""
        self.depth -= 1
