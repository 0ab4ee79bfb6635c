from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from benchmarks.measurement import Command, FailedRunError, Measurement, Sample, measure, run_once

if TYPE_CHECKING:
    from pathlib import Path


def python(code: str, *statuses: int) -> Command:
    return Command((sys.executable, "-c", code), frozenset(statuses or {0}))


def test_peak_memory_is_the_command_s() -> None:
    assert run_once(python("x = b'x' * 400_000_000")).peak_bytes > 400_000_000


def test_failure_is_no_measurement() -> None:
    with pytest.raises(FailedRunError, match="exit status 3\nsorry"):
        run_once(python("import sys; print('sorry', file=sys.stderr); sys.exit(3)"))
    run_once(python("raise SystemExit(3)", 0, 3))


def test_runs_are_interleaved_after_a_first_turn(tmp_path: Path) -> None:
    log = tmp_path / "log"
    commands = {name: python(f"open({str(log)!r}, 'a').write({name!r})") for name in "ab"}
    found = measure(commands, 2)
    assert log.read_text() == "ababab"
    assert [len(found[name].samples) for name in "ab"] == [2, 2]


def test_median_and_spread() -> None:
    found = Measurement((Sample(3, 10), Sample(1, 30), Sample(2, 20)))
    assert (found.seconds, found.spread, found.peak_bytes) == (2, (1, 3), 30)
