"""Standard output that breaks no run: what it cannot show is escaped, and where it is lost that is told."""

from __future__ import annotations

import errno
import io
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer


class OutputLost(EnvironmentProblem):
    """Nothing more can be written to standard output."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {error.strerror}")
        self.reader_left = error.errno == errno.EPIPE


class _Output(io.FileIO):
    """Raises `OutputLost`, and is silent from then on: the interpreter flushes once more at its end."""

    lost = False

    def write(self, data: ReadableBuffer, /) -> int:
        if self.lost:
            return memoryview(data).nbytes
        try:
            return super().write(data) or 0
        except OSError as error:
            self.lost = True
            raise OutputLost(error) from error


def guard_standard_output() -> None:
    """Have everything that is printed from here on raise `OutputLost`, and never an error of encoding."""
    if sys.stdout is not None:  # closed by the caller, who wants nothing printed
        raw = _Output(sys.stdout.fileno(), "w", closefd=False)
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw),
            encoding=sys.stdout.encoding,
            errors="backslashreplace",
            line_buffering=sys.stdout.isatty(),
        )


@contextmanager
def cut_off(state: str) -> Iterator[None]:
    """Where the user or a lost output ends the run in here, tell what became of the tree: `state`."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise Interrupted("interrupted", state) from error
    except OutputLost as lost:
        raise EnvironmentProblem(lost.problem, state) from lost
