"""`retire-model lint` looks at a whole tree in the time that ruff takes for one rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measurement import Command
from benchmarks.row import Row
from benchmarks.setting import program

if TYPE_CHECKING:
    from benchmarks.setting import Setting

OPTIONS = ("check", "--isolated", "--no-cache", "--exit-zero", "--select", "F401")


def row(setting: Setting) -> Row:
    """Against unused imports, a rule that has to read every file as well."""
    engine = setting.engine("0.33.0")
    ruff = program("ruff")
    return Row(
        what="retire-model lint, vLLM 0.33.0",
        subject=Command((setting.tool, "lint", "--engine", engine), frozenset({0, 1})),
        against="ruff check --no-cache --select F401" if ruff else "ruff: not measured, it is not installed",
        reference=Command((ruff, *OPTIONS, engine)) if ruff else None,
        most_seconds=1.0,
        most_ratio=1.0,
        most_bytes=250_000_000,
    )
