"""What an event of GitHub's asks the bot to do. Everything in one was written by strangers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem, WrongUse
from analyzer.source.regular_files import read_regular_file

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = re.compile(r"/retire-model[ \t]+(?P<words>[^\r\n]+?)[ \t]*(?:\r?\n|$)")
"""As the first line of a comment."""
WORD = re.compile(r"[\w.][\w./-]{0,199}", re.ASCII)
REVIEW = "review"
MOST_MODELS = 10
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request was opened or changed."""

    repository: str
    number: int
    base: str
    """The commit it is to be merged into."""
    head: str
    """Its own last commit."""
    words: str
    """Its title and description."""


@dataclass(frozen=True, slots=True)
class Comment:
    """Somebody wrote `/retire-model …` on an issue or a pull request."""

    repository: str
    number: int
    """Of the issue or the pull request."""
    comment: int
    author: str
    on_pull_request: bool
    words: tuple[str, ...]
    """What stands behind `/retire-model`: models, or `review`."""

    @property
    def asks_for_review(self) -> bool:
        """Whether the pull request is to be reviewed, and not a model judged."""
        return self.words == (REVIEW,)


Event = PullRequest | Comment


def read_event(file: Path) -> Event | None:
    """What the event in `file` asks for; None where that is nothing of the bot's.

    Raises `EnvironmentProblem` for a file that cannot be read, `WrongUse` for one that is no event.
    """
    try:
        event = json.loads(read_regular_file(file))
        return _comment(event) if "comment" in event else _pull_request(event)
    except OSError as error:
        raise EnvironmentProblem(f"cannot read {file}: {error.strerror}", "Name the file with --event.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WrongUse(
            f"{file} is no event of a pull request or a comment", "In a job of GitHub's it is $GITHUB_EVENT_PATH."
        ) from error


def pull_request_of(repository: str, found: dict[str, Any]) -> PullRequest:
    """A pull request as the events and the API describe it. Raises `ValueError`, `KeyError`, `TypeError`."""
    return PullRequest(
        repository,
        int(found["number"]),
        _matching(COMMIT, found["base"]["sha"]),
        _matching(COMMIT, found["head"]["sha"]),
        f"{found['title']}\n{found.get('body') or ''}",
    )


def _pull_request(event: dict[str, Any]) -> PullRequest | None:
    if event["action"] in {"closed", "labeled", "unlabeled", "assigned", "unassigned"}:
        return None
    return pull_request_of(_matching(REPOSITORY, event["repository"]["full_name"]), event["pull_request"])


def _comment(event: dict[str, Any]) -> Comment | None:
    command = COMMAND.match(event["comment"]["body"] or "")
    if event["action"] != "created" or command is None:
        return None
    words = tuple(word for word in command["words"].split() if WORD.fullmatch(word))
    return Comment(
        _matching(REPOSITORY, event["repository"]["full_name"]),
        int(event["issue"]["number"]),
        int(event["comment"]["id"]),
        str(event["comment"]["user"]["login"]),
        "pull_request" in event["issue"],
        words[:MOST_MODELS],
    )


def _matching(pattern: re.Pattern[str], value: str) -> str:
    if pattern.fullmatch(value) is None:
        raise ValueError(value)
    return value
