"""The errors a user may see. Each carries the exit status it ends with and a remedy."""

from __future__ import annotations

from typing import ClassVar


class RetireModelError(Exception):
    """An expected failure: one line that says what is wrong, one that says what to do about it."""

    exit_status: ClassVar[int] = 2

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


MOST_SHOWN = 60


def shown(text: str) -> str:
    """What a user or a tree wrote, for a message: cut where it is longer than a name can be."""
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 1]}…"


class EnvironmentProblem(RetireModelError):
    """The tree, the release or the machine cannot serve the request (exit status 2)."""


class WrongUse(RetireModelError):
    """The command was asked for something that does not exist or does not fit (exit status 2)."""


class Refused(RetireModelError):
    """The request is understood and will not be done as it stands (exit status 1)."""

    exit_status: ClassVar[int] = 1


class Interrupted(RetireModelError):
    """The user ended the run; the remedy says what became of the tree (exit status 130, as shells have it)."""

    exit_status: ClassVar[int] = 130


class UnreadableSource(RetireModelError):
    """A file could not be decoded or parsed (exit status 2)."""

    def __init__(self, problem: str, remedy: str = "", line: int | None = None) -> None:
        super().__init__(problem, remedy)
        self.line = line
        """Where in the file, if that is known."""


class BrokenEdit(RetireModelError):
    """An edit did not come out as it must: a fault of this tool, noticed before anything is written (exit status 3)."""

    exit_status: ClassVar[int] = 3
