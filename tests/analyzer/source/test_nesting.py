"""What is nested too deeply is an error that says what."""

from __future__ import annotations

import pytest

from analyzer.errors import UnreadableSource
from analyzer.source.nesting import follow


def endlessly(depth: int) -> int:
    return endlessly(depth + 1)


def test_too_deep() -> None:
    with pytest.raises(UnreadableSource, match=r"a\.py is nested too deeply to be followed"), follow("a.py"):
        endlessly(0)


def test_other_errors_pass() -> None:
    with pytest.raises(ValueError, match="no number"), follow("a.py"):
        raise ValueError("no number")
