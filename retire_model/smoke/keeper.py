"""Our end of a keeper: a process of the engine's Python that imports once and forks for each run."""

from __future__ import annotations

import errno
import json
import os
import select
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem
from retire_model.smoke.inside.process_group import end_group
from retire_model.smoke.outcomes import Broke, CutOff, Ran, RunOutcome
from retire_model.smoke.root_cause import follows, root_cause

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BY_PATH = Path(__file__).parents[1] / "by_path.py"
CHILD = "retire_model.smoke.inside.keeper"
IMPORT_SECONDS = 300
LONGEST_TEXT = 8 << 20
"""Bytes of the beginning and of the end of a log that are read."""
MARGIN = 60
"""Seconds that a keeper gets to end a run, beyond the time that the run has."""
FULL = os.strerror(errno.ENOSPC)
DIED = "died unexpectedly"
"""What the engine logs of a worker that is gone without a traceback: killed, mostly for want of memory."""
CRASHED = "Fatal Python error"
"""What a worker's last words are that was not killed."""


@dataclass
class Keeper:
    """Started when the first job comes; `close` ends it with all that it has started."""

    program: Path
    modules: Sequence[str]
    environment: Mapping[str, str]
    logs: Path
    name: str
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _answers: IO[bytes] | None = field(default=None, init=False)
    _received: bytes = field(default=b"", init=False)
    _running: int | None = field(default=None, init=False)

    def run(self, job: dict[str, Any], name: str, seconds: int) -> RunOutcome:
        """Run a job, with a log called `name`. Raises `EnvironmentProblem` where the Python lacks the engine."""
        log = self._log(name)
        # Of an earlier command, where the folder is one that the user names.
        with suppress(OSError):
            log.unlink(missing_ok=True)
        begin = time.monotonic()
        self._start()
        answer = self._ask({**job, "log": str(log), "seconds": seconds}, seconds + MARGIN)
        return _outcome(answer, time.monotonic() - begin, log)

    def close(self) -> None:
        """End the keeper and the run under way."""
        if self._process is None:
            return
        with suppress(OSError):
            assert self._process.stdin is not None  # noqa: S101 - it is a pipe
            self._process.stdin.close()
        if self._running is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(MARGIN)
            end_group(self._running)
        end_group(self._process.pid)
        self._process.wait()
        if self._answers is not None:
            self._answers.close()
        self._process = self._answers = self._running = None
        self._received = b""

    def __enter__(self) -> Keeper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _log(self, name: str) -> Path:
        plain = "".join(c if c.isalnum() or c in "-._=" else "-" for c in f"{self.name}-{name}")
        return self.logs / f"{plain}.log"

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self.close()
        source, sink = os.pipe()
        request = json.dumps({"pipe": sink, "modules": list(self.modules), "parent": os.getpid()})
        own = self.logs / f"{self.name}.log"
        try:
            with own.open("ab") as output:
                self._process = subprocess.Popen(  # noqa: S603 - the Python that the user named, and our own file
                    [self.program, str(BY_PATH), CHILD, request],
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=output,
                    env={**os.environ, **self.environment},
                    cwd=self.environment["TMPDIR"],
                    pass_fds=(sink,),
                    start_new_session=True,
                )
        except OSError as error:
            os.close(source)
            raise EnvironmentProblem(f"cannot start {self.program}: {error}", "Mend that and run again.") from error
        finally:
            os.close(sink)
        self._answers = os.fdopen(source, "rb", buffering=0)
        ready = self._next_answer(IMPORT_SECONDS)
        if ready is None or "cannot_import" in ready:
            self.close()
            reason = ready["cannot_import"] if ready else "it ended, or took too long"
            raise EnvironmentProblem(
                f"{self.program} cannot import {', '.join(self.modules) or 'torch'}: {reason}", f"Its log is {own}."
            )

    def _ask(self, job: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """The keeper's answer; None where it ends or is silent."""
        assert self._process is not None  # noqa: S101 - started just before
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        try:
            self._process.stdin.write(json.dumps(job).encode() + b"\n")
            self._process.stdin.flush()
            started = self._next_answer(MARGIN)
            self._running = started.get("started") if started else None
            answer = self._next_answer(seconds) if started else None
        except OSError:
            answer = None
        if answer is None:
            self._kill()
        self._running = None
        return answer

    def _kill(self) -> None:
        if self._running is not None:
            end_group(self._running)
            self._running = None
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGKILL)
        self.close()

    def _next_answer(self, seconds: float) -> dict[str, Any] | None:
        assert self._answers is not None  # noqa: S101 - it is started
        until = time.monotonic() + seconds
        while b"\n" not in self._received:
            ready, _, _ = select.select([self._answers], [], [], max(until - time.monotonic(), 0))
            chunk = os.read(self._answers.fileno(), 1 << 16) if ready else b""
            if not chunk:
                return None
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer


def _outcome(answer: dict[str, Any] | None, seconds: float, log: Path) -> RunOutcome:
    if answer is None:
        return CutOff("the process that ran it was killed", seconds, log)
    told, ended = answer["answer"], answer["ended"]
    if ended is None and "error" not in told:
        return Ran(told, seconds, log)
    text = _text(log)
    found = root_cause(text)
    error = found or told.get("error")
    if FULL in text or FULL in (error or "") or _is_full(log.parent):
        return CutOff(FULL, seconds, log)
    if found is None and (DIED in text or follows(error or "")) and CRASHED not in text:
        return CutOff("a worker of it was killed", seconds, log)
    match ended:
        case {"signal": signal.SIGKILL}:
            return CutOff("its process was killed", seconds, log)
        case {"signal": number}:
            error = f"the process was ended by {signal.Signals(number).name}" + (f" ({error})" if error else "")
        case {"seconds": limit}:
            error = f"no answer within {limit} seconds" + (f" ({error})" if error else "")
        case {"log": size}:
            error = f"it wrote more than {size >> 20} MiB to its log" + (f" ({error})" if error else "")
    return Broke(error or f"the process ended without a word ({ended})", seconds, log, told)


def _text(log: Path) -> str:
    """A log, without the middle where it is long."""
    with suppress(OSError), log.open("rb") as file:
        text = file.read(LONGEST_TEXT)
        size = os.fstat(file.fileno()).st_size
        file.seek(max(size - LONGEST_TEXT, len(text)))
        return (text + file.read(LONGEST_TEXT)).decode(errors="replace")
    return ""


def _is_full(folder: Path) -> bool:
    return shutil.disk_usage(folder).free < 1 << 20
