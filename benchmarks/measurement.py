"""Runs commands in processes of their own and takes their time and peak memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, and the exit statuses that mean that it did its work."""

    arguments: tuple[str, ...]
    statuses: frozenset[int] = frozenset({0})


@dataclass(frozen=True, slots=True)
class Sample:
    """One run."""

    seconds: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Measurement:
    """All runs of one command."""

    samples: tuple[Sample, ...]

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(sample.seconds for sample in self.samples)

    @property
    def spread(self) -> tuple[float, float]:
        """The fastest and the slowest run."""
        times = [sample.seconds for sample in self.samples]
        return min(times), max(times)

    @property
    def peak_bytes(self) -> int:
        """The most memory that any run took."""
        return max(sample.peak_bytes for sample in self.samples)


class FailedRunError(Exception):
    """A measured command did not do its work."""


def measure(commands: Mapping[str, Command], repetitions: int) -> dict[str, Measurement]:
    """Run all commands in turn, `repetitions` times, after one turn that is not counted.

    Interleaved, so that a machine that is slow for a while is slow for all of them. Each run is a new
    process; what it reads from the disk is warm. Raises `FailedRunError`.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for turn in range(repetitions + 1):
        for name, command in commands.items():
            sample = run_once(command)
            if turn > 0:
                samples[name].append(sample)
    return {name: Measurement(tuple(found)) for name, found in samples.items()}


def run_once(command: Command) -> Sample:
    """Run `command` to its end. Raises `FailedRunError` with what it said.

    Linux counts the memory of this process, from which the new one is forked, as the least that it took.
    """
    with tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command.arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in command.statuses:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip()
            raise FailedRunError(f"{_shown(command.arguments)}: exit status {process.returncode}\n{said}")
    return Sample(seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))


def _shown(arguments: Sequence[str]) -> str:
    return " ".join(arguments)
