"""Runs the probe: a process of its own that builds Hugging Face classes and says what it found.

The only place where anything judged is imported and run is that process. It has a time and a memory limit, a
folder of its own to run in, no network, and its whole process group is killed at the end.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHILD = Path(__file__).parents[1] / "by_path.py"
MODULE = "retire_model.probing.child"
SECONDS = 120
MEMORY = 6 * 1024**3
IMPORT_SECONDS = 90
"""What importing torch and Transformers may take besides."""
MOST_BYTES = 64 * 1024 * 1024
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONWARNINGS": "ignore",
}
_REMEDY = "pip install 'retire-model[smoke]', or name a Python that has both with --probe-python."


@dataclass(frozen=True, slots=True)
class Probe:
    """How to run it: which Python, and the limits for each architecture."""

    python: str = sys.executable
    seconds: int = SECONDS
    memory: int = MEMORY
    child: Path = CHILD

    def run(self, root: Path, architectures: Sequence[str]) -> Iterator[dict[str, Any]]:
        """What the child says of each architecture of the Transformers release below `root`, one after the other.

        An architecture that it dies of, or that takes too long, is answered with the reason under `not_built`.
        Raises `EnvironmentProblem` where the Python cannot be started or has not what it takes.
        """
        left = list(architectures)
        for answer in self._answers(root, left):
            if "cannot_import" in answer:
                raise _cannot_import(self.python, root, answer)
            if left and answer.get("architecture") == left[0]:
                left.pop(0)
                yield answer
        for architecture in left:
            yield {"architecture": architecture, "not_built": "the probe's process ended without an answer"}

    def _answers(self, root: Path, architectures: Sequence[str]) -> Iterator[dict[str, Any]]:
        program = shutil.which(self.python)
        if program is None:
            raise EnvironmentProblem(f"there is no program {self.python}", _REMEDY)
        # It runs in a folder of its own, and a path is relative to this one. Links stay: they make the environment.
        program = str(Path(program).absolute())
        source, sink = os.pipe()
        request = json.dumps(
            {
                "root": str(root.resolve()),
                "architectures": list(architectures),
                "seconds": self.seconds,
                "memory": self.memory,
                "pipe": sink,
            }
        )
        with tempfile.TemporaryDirectory(prefix="retire-model-probe-") as folder, os.fdopen(source, "rb") as answers:
            try:
                process = subprocess.Popen(  # noqa: S603 - the Python that the user named, and our own file
                    [program, str(self.child), MODULE, request],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd=folder,
                    env={**os.environ, **_OFFLINE, "TMPDIR": folder},
                    pass_fds=(sink,),
                    start_new_session=True,
                )
            except OSError as error:
                raise EnvironmentProblem(f"cannot start {self.python}: {error.strerror}", _REMEDY) from error
            finally:
                os.close(sink)
            try:
                yield from _lines(answers, self.seconds + IMPORT_SECONDS)
            finally:
                _end(process)


def _lines(answers: IO[bytes], seconds: int) -> Iterator[dict[str, Any]]:
    """The lines of JSON that arrive, until the end, until none has come for `seconds`, or until it is too much."""
    buffer, total, deadline = b"", 0, time.monotonic() + seconds
    while total < MOST_BYTES:
        ready, _, _ = select.select([answers], [], [], max(deadline - time.monotonic(), 0))
        chunk = os.read(answers.fileno(), 1 << 16) if ready else b""
        if not chunk:
            return
        total += len(chunk)
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            answer = _parsed(line)
            if answer is not None:
                yield answer
                deadline = time.monotonic() + seconds


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole process group, and take the child's exit status so that nothing is left of it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _cannot_import(python: str, root: Path, answer: dict[str, Any]) -> EnvironmentProblem:
    reason = str(answer["cannot_import"])
    if answer.get("missing") in ("torch", "transformers"):
        missing = f"{python} has no {answer['missing']}"
        return EnvironmentProblem(f"--probe needs torch and Transformers, and {missing}", _REMEDY)
    return EnvironmentProblem(
        f"{python} cannot import the Transformers at {root}: {reason}",
        "Name a Python with what that release needs (--probe-python), or judge against another one (--transformers).",
    )
