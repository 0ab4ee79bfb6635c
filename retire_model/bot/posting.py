"""Brings what stands at a pull request to what a review says: edits what is there before anything is added."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gidgethub import BadRequest, GitHubBroken, GitHubException

from retire_model.bot.api import TRIES, Unsure, problem
from retire_model.messages import counted
from retire_model.review.formats.markdown import MARKER, MOST_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.bot.api import GitHub
    from retire_model.bot.given_review import GivenReview, LineComment

ISSUE_COMMENTS = "/repos/{+repository}/issues/{number}/comments"
ISSUE_COMMENT = "/repos/{+repository}/issues/comments/{id}"
LINE_COMMENTS = "/repos/{+repository}/pulls/{number}/comments"
LINE_COMMENT = "/repos/{+repository}/pulls/comments/{id}"
REVIEWS = "/repos/{+repository}/pulls/{number}/reviews"
ALL = "?per_page=100"
OWN = re.compile(r"<!-- retire-model remark [0-9a-f]{16} -->")
MENDED = "<!-- retire-model mended -->\n"
MINIMISE = """mutation($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: RESOLVED}) { clientMutationId }
}"""
ACTIONS_LOGIN = "github-actions[bot]"


@dataclass(frozen=True, slots=True)
class Place:
    """A pull request, or an issue."""

    repository: str
    number: int

    @property
    def url_vars(self) -> dict[str, str]:
        """For the addresses above."""
        return {"repository": self.repository, "number": str(self.number)}


async def own_login(github: GitHub) -> str:
    """Who the token speaks for. The token of a job may not ask that, and speaks for the actions' own account."""
    try:
        return str((await github.getitem("/user"))["login"])
    except BadRequest as error:
        if int(error.status_code) in {403, 404}:
            return ACTIONS_LOGIN
        raise


async def post_review(github: GitHub, place: Place, review: GivenReview, login: str) -> list[str]:
    """Post `review`; what was done, in words. Raises `EnvironmentProblem` where GitHub does not take it.

    After a request that may or may not have been carried out, what is there is looked at again.
    """
    for attempt in range(TRIES):
        try:
            return await _once(github, place, review, login)
        except (Unsure, GitHubBroken) as error:
            if attempt + 1 == TRIES:
                raise error if isinstance(error, Unsure) else problem(error) from error
            await github.sleep(2.0**attempt)
        except GitHubException as error:
            raise problem(error) from error
    raise AssertionError("unreachable")


async def _once(github: GitHub, place: Place, review: GivenReview, login: str) -> list[str]:
    there = [c async for c in github.all_of(LINE_COMMENTS + ALL, place.url_vars) if _is_own(c, login)]
    current = {found[0]: c for c in there if (found := OWN.match(c["body"])) and c.get("line") is not None}
    wanted = {comment.fingerprint: comment for comment in review.comments}
    done: list[str] = []
    for comment in there:
        found = OWN.match(comment["body"])
        if found is not None and (current.get(found[0]) is not comment or found[0] not in wanted):
            done.append(await _minimise(github, place, comment))
    for fingerprint, now in wanted.items():
        if fingerprint in current and current[fingerprint]["body"] != now.body:
            done.append(await _edit(github, LINE_COMMENT, place, current[fingerprint], now.body))
    new = [comment for fingerprint, comment in wanted.items() if fingerprint not in current]
    refused = new and not await _review(github, place, review.commit, new)
    if new and not refused:
        done.append(f"posted {counted(len(new), 'comment')} at lines")
    summary = _with_refused(review.summary, new) if refused else review.summary
    return [*done, *await _summarise(github, place, summary, login, only_edit=not review.has_remarks)]


async def _review(github: GitHub, place: Place, commit: str, comments: Sequence[LineComment]) -> bool:
    """Whether GitHub takes `comments`: with one bad place it takes none (422)."""
    body = f"{counted(len(comments), 'remark')} at lines of this change; the summary is a comment of its own."
    data = {"commit_id": commit, "event": "COMMENT", "body": body, "comments": [c.as_json() for c in comments]}
    try:
        await github.post(REVIEWS, place.url_vars, data=data)
    except BadRequest as error:
        if int(error.status_code) == 422:
            return False
        raise
    return True


def _with_refused(summary: str, comments: Sequence[LineComment]) -> str:
    """The summary with what could not be put at its lines, as far as there is room."""
    text = f"{summary}\n### At lines that GitHub would not take\n"
    for number, comment in enumerate(comments):
        part = f"\n`{comment.path.replace('`', '')}`, line {comment.line}:\n\n{comment.body}\n"
        word = f"\n… {counted(len(comments) - number, 'more remark')} had no room in a comment.\n"
        if len(text) + len(part) + len(word) > MOST_CHARACTERS:
            return text + word if len(text) + len(word) <= MOST_CHARACTERS else text
        text += part
    return text


async def _summarise(github: GitHub, place: Place, summary: str, login: str, *, only_edit: bool) -> list[str]:
    """The one comment with the summary; where there is nothing to say, none is made for it."""
    return await post_marked(github, place, MARKER, summary, login, only_edit=only_edit)


async def post_marked(
    github: GitHub, place: Place, marker: str, body: str, login: str, *, only_edit: bool = False
) -> list[str]:
    """The one comment of ours that begins with `marker`: made, edited, or left as it is."""
    comments = [c async for c in github.all_of(ISSUE_COMMENTS + ALL, place.url_vars) if _is_own(c, login)]
    own = next((comment for comment in comments if str(comment["body"]).startswith(marker)), None)
    if own is None:
        if only_edit:
            return []
        await github.post(ISSUE_COMMENTS, place.url_vars, data={"body": body})
        return ["posted a comment"]
    # GitHub gives back the ends of lines in its own way.
    if str(own["body"]).replace("\r\n", "\n").rstrip() == body.rstrip():
        return []
    return [await _edit(github, ISSUE_COMMENT, place, own, body)]


async def _edit(github: GitHub, address: str, place: Place, comment: dict[str, Any], body: str) -> str:
    await github.patch(address, place.url_vars | {"id": str(comment["id"])}, data={"body": body})
    return "edited a comment"


async def _minimise(github: GitHub, place: Place, comment: dict[str, Any]) -> str:
    """Fold a comment away that no longer holds, and mark it, so that it is left alone from now on."""
    # Not every token may; the mark in the text says the same.
    with suppress(GitHubException):
        await github.graphql(MINIMISE, endpoint=github.graphql_address, id=str(comment["node_id"]))
    body = f"{MENDED}Mended, or no longer at this place.\n"
    await _edit(github, LINE_COMMENT, place, comment, body)
    return "minimised a comment"


def _is_own(comment: dict[str, Any], login: str) -> bool:
    """Whether we wrote it: anybody can put our marker into a comment, which is not ours to edit then."""
    return (comment.get("user") or {}).get("login") == login and isinstance(comment.get("body"), str)
