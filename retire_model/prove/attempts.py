"""Runs one smoke run in a process of its own, here or on a machine of a cluster, and says how that ended."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

PROGRAM = "import sys; sys.path.insert(0, sys.argv.pop(1)); from retire_model.prove.child import main; sys.exit(main())"
ROOT = Path(__file__).parents[2]
GRACE = 100
"""Seconds that a smoke run gets to end what it has started."""
PAUSE = 0.1


@dataclass(frozen=True, slots=True)
class Reported:
    """It came to a report: one model of `docs/smoke.schema.json`."""

    report: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NoReport:
    """It could not be run, or was ended from outside: that says nothing about the model."""

    reason: str
    again: bool = True
    """Whether it may end otherwise when it is tried again."""


Ending = Reported | NoReport


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run of a case."""

    ending: Ending
    seconds: float
    machine: str


def attempt(
    arguments: Sequence[str],
    logs: Path,
    seconds: int,
    cores: Collection[int],
    stop: threading.Event | None = None,
) -> Attempt:
    """Run `retire-model` with `arguments`, on those `cores` alone, until it ends, `seconds` are over or `stop` is set.

    `logs` is where the run keeps its own. Nothing that it started is left.
    """
    begin = time.monotonic()
    shutil.rmtree(logs, ignore_errors=True)
    words = [*arguments, "--json", "--logs", str(logs)]
    try:
        ending = _ending(words, begin + seconds, seconds, cores, stop or threading.Event())
    except OSError as error:
        ending = NoReport(f"it cannot be started: {error}")
    return Attempt(ending, time.monotonic() - begin, os.uname().nodename)


def _ending(words: list[str], until: float, seconds: int, cores: Collection[int], stop: threading.Event) -> Ending:
    own = [sys.executable, "-P", "-c", PROGRAM, str(ROOT), ",".join(map(str, cores)), *words]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(  # noqa: S603 - our own command
            own, stdin=subprocess.PIPE, stdout=output, stderr=messages, start_new_session=True
        )
        try:
            while process.poll() is None and time.monotonic() < until and not stop.wait(PAUSE):
                pass
            over = process.poll() is None
        finally:
            _end(process)
        if over:
            return NoReport("interrupted") if stop.is_set() else NoReport(f"not done within {seconds} seconds", False)
        return _told(process.returncode, _text(output), _text(messages))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it: it does so by itself when its standard input is closed, and the engine's processes when it is gone."""
    with suppress(OSError):
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _told(status: int, output: str, messages: str) -> Ending:
    if status < 0:
        return NoReport(f"ended by {signal.Signals(-status).name}")
    try:
        (report,) = json.loads(output)["models"]
    except (ValueError, KeyError, TypeError):
        words = " ".join(messages.split()) or "it said nothing"
        return NoReport(f"exit status {status}: {words.removeprefix('retire-model: ')}")
    return Reported(report)
