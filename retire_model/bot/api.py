"""GitHub's API, with the patience that it asks for. The token goes to its own address alone, and into no message."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx2
from gidgethub.httpx import GitHubAPI

from analyzer.errors import EnvironmentProblem, WrongUse, shown

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from gidgethub import GitHubException, HTTPException

PUBLIC = "https://api.github.com"
REQUESTER = "retire-model[bot]"
TIMEOUT = 30.0
"""Seconds for one answer."""
PATIENCE = 300.0
"""Seconds that the bot waits altogether for a limit to pass or a fault to mend."""
TRIES = 5
AGAIN = frozenset({"GET", "PATCH", "PUT", "DELETE"})
"""What does the same when it is done twice."""
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class Unsure(EnvironmentProblem):
    """A request may have been carried out or not: look again at what is there."""


class GitHub(GitHubAPI):
    """The API at one address, for one token."""

    def __init__(self, client: httpx2.AsyncClient, token: str, address: str) -> None:
        """Raises `WrongUse` for an address that the token must not go to."""
        parts = urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in LOCAL:
            raise WrongUse(f"{shown(address)} is not an https address", "The token is sent over https alone.")
        self._origin = (parts.scheme, parts.netloc)
        self._patience = PATIENCE
        super().__init__(client, REQUESTER, oauth_token=token, base_url=address)

    @property
    def graphql_address(self) -> str:
        """Where the other API is: beside `api.github.com` itself, or beside `/api/v3` of an enterprise."""
        address = self.base_url.rstrip("/")
        return f"{address.removesuffix('/v3')}/graphql"

    async def sleep(self, seconds: float) -> None:
        """Wait, as far as patience goes. Raises `EnvironmentProblem` where it does not."""
        if seconds > self._patience:
            raise EnvironmentProblem(
                f"GitHub asks to wait {seconds:.0f} seconds", "Run the job again later: what is posted stays."
            )
        self._patience -= seconds
        await super().sleep(seconds)

    async def all_of(self, address: str, url_vars: Mapping[str, str]) -> AsyncIterator[dict[str, Any]]:
        """Every item of a list, page after page."""
        async for item in self.getiter(address, dict(url_vars)):
            if isinstance(item, dict):
                yield item

    async def handle_rate_limit_error(self, *, method: str, url: str, exception: HTTPException, attempt: int) -> bool:
        """Whether to try a request again, after waiting as long as GitHub says or the fault deserves."""
        del url
        status = int(exception.status_code)
        wait = _asked_to_wait(exception) if status in {403, 429} else None
        if wait is None and status >= 500 and method in AGAIN:
            wait = 2.0 ** (attempt - 1)
        if wait is None or attempt >= TRIES:
            return False
        await self.sleep(wait)
        return True

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> tuple[int, Mapping[str, str], bytes]:
        parts = urlsplit(url)
        if (parts.scheme, parts.netloc) != self._origin:
            raise EnvironmentProblem("GitHub's answer leads to another address", "The token is not sent there.")
        for attempt in range(TRIES):
            try:
                return await super()._request(method, url, headers, body)
            except httpx2.TransportError as error:
                kind = type(error).__name__
                if method not in AGAIN:
                    raise Unsure(f"no answer from {parts.netloc} ({kind})", "Run the job again.") from error
                if attempt + 1 == TRIES:
                    raise EnvironmentProblem(
                        f"no answer from {parts.netloc} ({kind})", "Look at the network."
                    ) from error
                await self.sleep(2.0**attempt)
        raise AssertionError("unreachable")


def problem(error: GitHubException) -> EnvironmentProblem:
    """What to tell a person of an answer that ends the work."""
    status = getattr(error, "status_code", None)
    told = f"GitHub refuses ({int(status)})" if status else "GitHub refuses"
    remedy = {
        401: "Give the job a GITHUB_TOKEN that is still good.",
        403: "Give the job `pull-requests: write`. For a pull request from a fork the token only reads: there a "
        "maintainer's comment `/retire-model review` has it posted.",
        404: "Look at the repository's name, and at what the token may see.",
    }.get(int(status or 0), "")
    return EnvironmentProblem(f"{told}: {shown(str(error))}", remedy)


def _asked_to_wait(error: HTTPException) -> float | None:
    """The seconds that a refusal asks to wait; None where it is none for want of patience."""
    headers = error.headers or {}
    try:
        if "retry-after" in headers:
            return max(0.0, float(headers["retry-after"]))
        if headers.get("x-ratelimit-remaining") == "0":
            return max(0.0, float(headers["x-ratelimit-reset"]) - time.time()) + 1
    except (KeyError, ValueError):
        return None
    return 60.0 if int(error.status_code) == 429 or "secondary rate limit" in str(error) else None


def address_of(given: str | None) -> str:
    """The API's address: given, or the one that GitHub names to a job, which an enterprise has of its own."""
    return given or os.environ.get("GITHUB_API_URL") or PUBLIC


def token() -> str:
    """The token of the job. Raises `WrongUse` where there is none."""
    found = os.environ.get("GITHUB_TOKEN", "")
    if not found.strip():
        raise WrongUse("there is no GITHUB_TOKEN", "Pass it in the job's env, not as an argument.")
    return found.strip()
