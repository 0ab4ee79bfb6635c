"""The child process: imports once, then reads each architecture in a fork of its own.

What it is to do comes as JSON in its one argument, what it found goes as one line of JSON for each architecture to
the pipe that the request names: nothing that a modeling file prints gets in between.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any


def main(request: str) -> int:
    """Serve one request; 1 where torch or Transformers cannot be imported."""
    wanted = json.loads(request)
    pipe = wanted["pipe"]
    from .release import limit, prefer

    prefer(Path(wanted["root"]))
    try:
        _import()
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        _send(pipe, {"cannot_import": reason[:600], "missing": missing})
        return 1
    limit(wanted["memory"])
    for architecture in wanted["architectures"]:
        _send(pipe, _in_fork(architecture, wanted["seconds"]))
    return 0


def _import() -> None:
    import torch
    import transformers

    # A fork cannot use the threads that its parent has started.
    torch.set_num_threads(1)
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    from . import reading  # noqa: F401 - imported before the forks, which share it


def _in_fork(architecture: str, seconds: int) -> dict[str, Any]:
    source, sink = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(source)
        _read_and_leave(architecture, seconds, sink)
    os.close(sink)
    with os.fdopen(source, "rb") as answer:
        text = answer.read()
    _, status = os.waitpid(process, 0)
    try:
        found: dict[str, Any] = json.loads(text)
    except ValueError:
        return {"architecture": architecture, "not_built": _end(status, seconds)}
    return found


def _read_and_leave(architecture: str, seconds: int, sink: int) -> None:
    """Runs in the fork, and ends it."""
    from .reading import read, reason

    signal.alarm(seconds)
    try:
        found = read(architecture)
    except BaseException as error:
        found = {"architecture": architecture, "not_built": reason(error)}
    signal.alarm(0)
    _send(sink, found)
    os._exit(0)


def _end(status: int, seconds: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGALRM:
            return f"it took more than {seconds} seconds"
        return f"the process was ended by {signal.Signals(number).name}"
    return f"the process ended with status {os.waitstatus_to_exitcode(status)} and said nothing"


def _send(pipe: int, content: dict[str, Any]) -> None:
    left = memoryview(json.dumps(content).encode() + b"\n")
    while left:
        left = left[os.write(pipe, left) :]
