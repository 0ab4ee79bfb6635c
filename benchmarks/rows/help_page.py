"""`retire-model --help` loads nothing that is heavy."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from benchmarks.measurement import Command
from benchmarks.row import Row

if TYPE_CHECKING:
    from benchmarks.setting import Setting


def row(setting: Setting) -> Row:
    """Against a Python that does nothing."""
    return Row(
        what="retire-model --help",
        subject=Command((setting.tool, "--help")),
        against="python -c pass",
        reference=Command((sys.executable, "-c", "pass")),
        most_seconds=0.3,
    )
