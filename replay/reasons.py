"""Why the tool and the maintainers differ in a line, as a person has looked at it and written down."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from replay.retirements import Retirement
    from replay.scores import Difference


@dataclass(frozen=True, slots=True)
class Reason:
    """One explained line of one retirement."""

    before: str
    module: str
    difference: str
    """`missed -`, `missed +`, `own -` or `own +`."""
    file: str
    contains: str
    """A part of the line."""
    reason: str

    def explains(self, retirement: Retirement, difference: Difference) -> bool:
        """Whether it is about that line."""
        return (
            (self.before, self.module) == (retirement.before, retirement.module)
            and self.difference == f"{difference.side} {difference.sign}"
            and self.file == difference.file
            and self.contains in difference.line
        )


def read_reasons(file: Path) -> list[Reason]:
    """The reasons in `file`. Raises `TypeError` for one with a key too many or too few."""
    return [Reason(**entry) for entry in tomllib.loads(file.read_text())["line"]]
