"""`retire-model bot`: does what an event of GitHub's asks for. It opens no pull request: a human author does that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, WrongUse
from retire_model.bot.event import Comment, PullRequest, pull_request_of, read_event
from retire_model.bot.given_review import GivenReview, parse_review, read_review
from retire_model.messages import say
from retire_model.reports.plain_text import plain
from retire_model.review.command import review
from retire_model.review.formats.github_review import github_review

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retire_model.bot.api import GitHub
    from retire_model.bot.event import Event

WRITERS = frozenset({"admin", "maintain", "write"})


def run_bot(event: Path, given: Path | None, engine: Path, releases: Sequence[str], api: str | None) -> int:
    """Do what `event` asks for, with the review in `given` or one made here.

    Raises `WrongUse` and `EnvironmentProblem` for what keeps it from that.
    """
    asked = read_event(event)
    if asked is None:
        say("retire-model: nothing for the bot to do in this event")
        return 0
    try:
        from retire_model.bot.api import address_of, token
    except ModuleNotFoundError as error:
        raise EnvironmentProblem(
            f"the bot needs {error.name}, which is not installed", "pip install 'retire-model[bot]'"
        ) from error
    work = _Work(engine, releases, given)
    asyncio.run(_connected(work, asked, token(), address_of(api)))
    return 0


async def _connected(work: _Work, asked: Event, token: str, address: str) -> None:
    import httpx2
    from gidgethub import GitHubException

    from retire_model.bot.api import TIMEOUT, GitHub, problem

    async with httpx2.AsyncClient(timeout=TIMEOUT, follow_redirects=False) as client:
        github = GitHub(client, token, address)
        try:
            if isinstance(asked, PullRequest):
                await work.review(github, asked)
            else:
                await work.comment(github, asked)
        except GitHubException as error:
            raise problem(error) from error


class _Work:
    """What the bot does, with what it reads."""

    def __init__(self, engine: Path, releases: Sequence[str], given: Path | None) -> None:
        self._engine = engine
        self._releases = releases
        self._given = given

    async def review(self, github: GitHub, asked: PullRequest) -> None:
        """Post the review of a pull request."""
        from retire_model.bot.posting import Place, own_login, post_review

        found = self._review_of(asked)
        if found.commit != asked.head:
            raise WrongUse("the review is of another commit than the pull request's last", "Make it anew.")
        done = await post_review(github, Place(asked.repository, asked.number), found, await own_login(github))
        say(_told(done))

    async def comment(self, github: GitHub, asked: Comment) -> None:
        """Answer a comment of somebody who may write to the repository."""
        from retire_model.bot.answer import answer
        from retire_model.bot.posting import Place, own_login, post_marked

        if not await _may_write(github, asked):
            say(plain(f"retire-model: {asked.author} may not write to {asked.repository}: not answered"))
            return
        if asked.asks_for_review and asked.on_pull_request:
            address = "/repos/{+repository}/pulls/{number}"
            url_vars = {"repository": asked.repository, "number": str(asked.number)}
            await self.review(github, pull_request_of(asked.repository, await github.getitem(address, url_vars)))
            return
        marker = f"<!-- retire-model answer {asked.comment} -->"
        body = f"{marker}\n{answer(asked.words, self._engine, self._releases)}"
        place = Place(asked.repository, asked.number)
        say(_told(await post_marked(github, place, marker, body, await own_login(github))))

    def _review_of(self, asked: PullRequest) -> GivenReview:
        if self._given is not None:
            return parse_review(read_review(self._given))
        return parse_review(github_review(review(self._engine, asked.base, asked.head, self._releases, asked.words)))


async def _may_write(github: GitHub, asked: Comment) -> bool:
    """Whether the author has write access: what the event says of that is no proof."""
    from gidgethub import BadRequest

    address = "/repos/{+repository}/collaborators/{login}/permission"
    try:
        found = await github.getitem(address, {"repository": asked.repository, "login": asked.author})
    except BadRequest as error:
        if int(error.status_code) == 404:
            return False
        raise
    return found.get("permission") in WRITERS


def _told(done: Sequence[str]) -> str:
    return f"retire-model: {'; '.join(done) or 'nothing changed'}"
