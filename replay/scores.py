"""Scores one retirement by the script that the facts come with."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from replay.retirements import Retirement


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """A line in which the tool and the maintainers differ."""

    side: str
    """`missed` by the tool, or its `own`."""
    sign: str
    """`-` for a line that went, `+` for one that came."""
    file: str
    line: str


@dataclass(frozen=True, slots=True)
class Score:
    """How a retirement compares."""

    retirement: Retirement
    agree: int
    differences: tuple[Difference, ...]
    same_deletions: bool
    """The module went on both sides, or stayed on both."""

    def count(self, side: str) -> int:
        """How many lines differ on `side`."""
        return sum(difference.side == side for difference in self.differences)


def score(script: Path, retirement: Retirement, before: Path, after: Path, tool: Path) -> Score:
    """Compare the tree `tool` with `after`. Raises `CalledProcessError` where the script fails."""
    trees = ["--before", str(before), "--after", str(after), "--tool", str(tool)]
    names = [part for architecture in retirement.architectures for part in ("--arch", architecture)]
    done = subprocess.run(  # noqa: S603 - the script is named by whoever runs the replay
        [sys.executable, str(script), *trees, *names], capture_output=True, text=True, check=True
    )
    report = json.loads(done.stdout)
    differences = [
        Difference(side, sign, *line.split(": ", 1))
        for part, sign in (("removed", "-"), ("added", "+"))
        for side in ("missed", "own")
        for line in report[part][side]
    ]
    deletions = all(found["after"] == found["tool"] for found in report["deleted"].values())
    return Score(retirement, report["score"]["agree"], tuple(sorted(differences)), deletions)
