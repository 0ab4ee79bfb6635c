"""The file of results: a line a case, each on the disk before the next case is looked at."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - part of a public field
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem
from retire_model.locks import exclusive_lock
from retire_model.prove.results import VERSION, Result, as_dictionary, from_dictionary

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class KeptResults:
    """Several runs may write to the same file at a time."""

    file: Path

    def read(self) -> dict[str, Result]:
        """The last result of each key. Lines that are no results of this version, or cut short, are passed over.

        Raises `EnvironmentProblem` where the file cannot be read.
        """
        try:
            lines = self.file.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._problem("read", error) from error
        return {result.key: result for result in _results(lines)}

    def add(self, result: Result) -> None:
        """Write it down. A line that an earlier run left half written goes. Raises `EnvironmentProblem`."""
        line = json.dumps({"version": VERSION, **as_dictionary(result)}).encode() + b"\n"
        try:
            with exclusive_lock(self.file.with_name(f".{self.file.name}.lock")), self.file.open("a+b") as file:
                _drop_half_line(file.fileno())
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._problem("write", error) from error

    def _problem(self, verb: str, error: OSError) -> EnvironmentProblem:
        return EnvironmentProblem(
            f"cannot {verb} the results in {self.file}: {error.strerror or error}", "Name another file: --results FILE."
        )


def _results(lines: list[bytes]) -> Iterator[Result]:
    for line in lines:
        try:
            told = json.loads(line if line.endswith(b"\n") else b"{}")
            if told.pop("version") == VERSION:
                yield from_dictionary(told)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue


def _drop_half_line(descriptor: int) -> None:
    """Cut the file behind its last newline."""
    end = os.fstat(descriptor).st_size
    if end and os.pread(descriptor, 1, end - 1) != b"\n":
        os.ftruncate(descriptor, os.pread(descriptor, end, 0).rfind(b"\n") + 1)
