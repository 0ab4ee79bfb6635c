"""Finds in the log of an engine's run the error that the others follow from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_PREFIX = re.compile(
    r"^(?:\((?P<process>\w+)[^)]*pid=\d+\)\s*)?(?:\[rank\d+\]:\s?)?"
    r"(?:(?:ERROR|WARNING|INFO|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d (?:\[[^\]]+\]\s?)+)?"
)
_START = "Traceback (most recent call last)"
_FOLLOWS = re.compile(
    r"Tokenizer not available|initialization failed|EngineCore encountered|EngineDeadError|cancelled|BrokenPipe"
    r"|SystemExit|KeyboardInterrupt|Worker failed with error|Executor failed|ConnectionReset|EOFError"
)
"""Errors that tell of others, and the one that a run without a tokenizer always logs."""
_NOISE = re.compile(r"\s*\[type=value_error.*")
_FRAME = re.compile(r'\s*File "(?P<file>[^"]+)", line (?P<line>\d+)')
LONGEST = 400
PACKAGES = ("vllm", "transformers", "torch")


@dataclass(frozen=True)
class _Traceback:
    process: str
    frames: list[str]
    lines: list[str]
    """The error's own line, and those that belong to it."""

    @property
    def message(self) -> str:
        """The error in one line, without the frame that pydantic puts around it."""
        text = " ".join(line.strip() for line in self.lines)
        inner = next((line for line in self.lines if "Value error," in line), None)
        return text if inner is None else "ValueError: " + _NOISE.sub("", inner.partition("Value error,")[2]).strip()

    @property
    def told(self) -> str:
        """The message with the place; an error without words is told by the line that raises it."""
        place = next((m for frame in reversed(self.frames) if (m := _FRAME.match(frame))), None)
        if place is None or not self.message:
            return self.message[:LONGEST]
        source = next((f.strip() for f in reversed(self.frames) if f.strip(" ^~")), "")
        words = f"{self.message}: {source}" if re.fullmatch(r"[\w.]+", self.message) else self.message
        return f"{words[:LONGEST]} ({_short(place['file'])}:{place['line']})"


def _short(file: str) -> str:
    """From the package on."""
    parts = file.split("/")
    package = next((i for i, part in enumerate(parts) if part in PACKAGES), len(parts) - 1)
    return "/".join(parts[package:])


def root_cause(log: str) -> str | None:
    """The first error of a worker, else of any process, that is not told of another; None where there is none."""
    found = list(_tracebacks(log))
    workers = [t for t in found if t.process.lower().startswith("worker")]
    return next((t.told for t in (*workers, *found) if t.message and not _FOLLOWS.search(t.message)), None)


def follows(error: str) -> bool:
    """Whether an error only tells that another process has failed."""
    return _FOLLOWS.search(error) is not None


def _tracebacks(log: str) -> Iterator[_Traceback]:
    """Each traceback, of the processes that write to the log in turns."""
    streams: dict[str, list[str]] = {}
    for raw in log.splitlines():
        line = _COLOUR.sub("", raw)
        prefix = _PREFIX.match(line)
        assert prefix is not None  # noqa: S101 - all of it may be empty
        streams.setdefault(prefix["process"] or "", []).append(line[prefix.end() :])
    for process, lines in streams.items():
        for index, line in enumerate(lines):
            if line.strip().startswith(_START):
                yield _traceback(process, lines[index + 1 :])


def _traceback(process: str, lines: list[str]) -> _Traceback:
    """What follows the heading: frames, and the error up to an empty line, another traceback or what else is logged."""
    start = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith(" ")), len(lines))
    found: list[str] = []
    for line in lines[start : start + 12]:
        if not line.strip() or line.startswith((_START, "The above", "During handling")):
            break
        found.append(line)
        if not re.match(r"[\w.]+(?:Error|Exception)\b", found[0]):
            break
    return _Traceback(process, lines[:start], found)
