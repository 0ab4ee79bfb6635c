"""`retire-model bot` against a server that answers as GitHub does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("gidgethub")

from gidgethub.httpx import GitHubAPI

from retire_model.bot import api
from retire_model.bot.posting import MENDED
from retire_model.command import run
from retire_model.review.formats.markdown import MARKER
from tests.retire_model.bot.github_server import TOKEN, Fault, GitHubServer
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HEAD = "a" * 40
BASE = "b" * 40
PULL_REQUEST = {"number": 7, "title": "Retire", "body": None, "base": {"sha": BASE}, "head": {"sha": HEAD}}
FIRST, SECOND = (f"<!-- retire-model remark {number * 16} -->" for number in "12")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the bot waited each time; it does not."""
    waited: list[float] = []

    async def sleep(_: GitHubAPI, seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(GitHubAPI, "sleep", sleep)
    return waited


@pytest.fixture(params=["", "/api/v3"])
def server(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, waits: list[float]
) -> Iterator[GitHubServer]:
    """GitHub itself, and an enterprise's, whose API is below a path."""
    del waits
    with GitHubServer(request.param).running() as serving:
        serving.pull_request = PULL_REQUEST
        monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
        monkeypatch.setenv("GITHUB_API_URL", serving.url)
        yield serving


class Job:
    """A job with an event and the review of another job."""

    def __init__(self, folder: Path) -> None:
        self.event = folder / "event.json"
        self.given = folder / "review.json"
        self.pull_request()
        self.review(line(FIRST, 3))

    def pull_request(self, action: str = "synchronize") -> None:
        self._write({"action": action, "repository": {"full_name": "org/engine"}, "pull_request": PULL_REQUEST})

    def comment(self, body: str, login: str = "maintainer", action: str = "created") -> None:
        issue = {"number": 7, "pull_request": {"url": "…"}}
        written = {"id": 55, "body": body, "user": {"login": login}, "author_association": "OWNER"}
        repository = {"full_name": "org/engine"}
        self._write({"action": action, "repository": repository, "issue": issue, "comment": written})

    def review(self, *comments: dict[str, Any], said: str = "2 remarks", **other: Any) -> None:
        content = {"commit_id": HEAD, "event": "APPROVE", "body": f"{MARKER}\n### {said}\n", "comments": comments}
        self.given.write_text(json.dumps(content | other))

    def _write(self, event: Any) -> None:
        self.event.write_text(json.dumps(event))

    def run(self, *options: str) -> int:
        return run(["bot", "--event", str(self.event), "--review", str(self.given), *options])


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def line(fingerprint: str, number: int, text: str = "Mend this.", **other: Any) -> dict[str, Any]:
    return {"path": "docs/a.md", "line": number, "side": "RIGHT", "body": f"{fingerprint}\n{text}\n"} | other


def test_posts_a_review_and_a_summary(server: GitHubServer, job: Job) -> None:
    job.review(line(FIRST, 3), line(SECOND, 9, start_line=7, start_side="RIGHT"))
    assert job.run() == 0
    (review,) = server.reviews
    assert review["event"] == "COMMENT", "whatever the file says"
    assert review["commit_id"] == HEAD
    assert [(c["line"], c.get("start_line"), c["side"]) for c in review["comments"]] == [
        (3, None, "RIGHT"),
        (9, 7, "RIGHT"),
    ]
    assert [c["body"] for c in server.issue_comments] == [f"{MARKER}\n### 2 remarks\n"]


def test_a_second_run_changes_nothing(server: GitHubServer, job: Job) -> None:
    job.run()
    before = server.changes()
    assert job.run() == 0
    assert server.changes() == before


def test_edits_what_it_said_before(server: GitHubServer, job: Job) -> None:
    job.run()
    job.review(line(FIRST, 4, "Mend it so."), said="1 remark")
    job.run()
    assert [c["body"] for c in server.issue_comments] == [f"{MARKER}\n### 1 remark\n"]
    assert [c["body"] for c in server.line_comments] == [f"{FIRST}\nMend it so.\n"]
    assert len(server.reviews) == 1


def test_minimises_what_is_mended(server: GitHubServer, job: Job) -> None:
    job.review(line(FIRST, 3), line(SECOND, 9))
    job.run()
    job.review(line(SECOND, 9))
    job.run()
    first, second = server.line_comments
    assert server.minimised == [first["node_id"]]
    assert first["body"].startswith(MENDED)
    assert second["body"].startswith(SECOND)
    job.run()
    assert len(server.minimised) == 1


def test_a_comment_whose_lines_are_gone_is_made_anew(server: GitHubServer, job: Job) -> None:
    job.run()
    server.line_comments[0]["line"] = None
    job.run()
    assert server.minimised == [server.line_comments[0]["node_id"]]
    assert server.line_comments[1]["body"].startswith(FIRST)


def test_nothing_to_remark_makes_no_comment_but_edits_one(server: GitHubServer, job: Job) -> None:
    job.review(said="retire-model: nothing to remark")
    job.run()
    assert server.changes() == []
    server.add_issue_comment(f"{MARKER}\nold")
    job.run()
    assert "nothing to remark" in server.issue_comments[0]["body"]


def test_comments_of_others_are_left_alone(server: GitHubServer, job: Job) -> None:
    server.add_issue_comment(f"{MARKER}\nnot the bot", login="stranger")
    server.add_line_comment(login="stranger", **line(FIRST, 3))
    job.run()
    assert server.issue_comments[0]["body"] == f"{MARKER}\nnot the bot"
    assert len(server.issue_comments) == 2
    assert len(server.reviews) == 1
    assert not server.minimised


def test_a_token_of_its_own_account(server: GitHubServer, job: Job) -> None:
    server.user = {"login": "engine-bot"}
    server.add_issue_comment(f"{MARKER}\nold", login="engine-bot")
    job.run()
    assert [c["body"] for c in server.issue_comments] == [f"{MARKER}\n### 2 remarks\n"]


def test_all_pages_are_looked_through(server: GitHubServer, job: Job) -> None:
    server.page = 2
    for number in range(5):
        server.add_issue_comment(f"talk {number}", login="stranger")
    server.add_issue_comment(f"{MARKER}\nold")
    job.run()
    assert len(server.issue_comments) == 6


def test_a_bad_place_loses_nothing(server: GitHubServer, job: Job) -> None:
    server.shown_lines = lambda comment: comment["line"] != 9
    job.review(line(FIRST, 3), line(SECOND, 9, "```suggestion\nx\n```"))
    assert job.run() == 0
    assert server.reviews == []
    (summary,) = server.issue_comments
    assert "`docs/a.md`, line 9" in summary["body"]
    assert "Mend this." in summary["body"]
    assert "```suggestion\nx\n```" in summary["body"]


def test_a_fallback_that_is_too_long_is_cut_with_a_word(server: GitHubServer, job: Job) -> None:
    server.shown_lines = lambda _: False
    job.review(*(line(f"<!-- retire-model remark {n:016x} -->", n, "x" * 5000) for n in range(1, 40)))
    assert job.run() == 0
    body = server.issue_comments[0]["body"]
    assert len(body) <= 65536
    assert "more remarks had no room in a comment" in body


@pytest.mark.parametrize(
    "fault",
    [
        Fault("GET", "/comments", 502, times=2),
        Fault("PATCH", "/comments/", 503),
        Fault("POST", "/reviews", 502),
        Fault("POST", "/reviews", 502, carried_out=True),
        Fault("POST", "/issues/7/comments", 504, carried_out=True),
        Fault(
            "POST", "/reviews", 403, headers={"Retry-After": "7"}, message="You have exceeded a secondary rate limit"
        ),
        Fault("GET", "/comments", 403, headers={"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}),
        Fault("GET", "/comments", 429, headers={"Retry-After": "3"}),
        Fault("POST", "/reviews", 200, delay=1.0, carried_out=True),
        Fault("GET", "/user", 200, delay=1.0),
    ],
    ids=lambda fault: f"{fault.method} {fault.status}{' done' if fault.carried_out else ''}",
)
def test_tries_again_and_posts_once(
    fault: Fault, server: GitHubServer, job: Job, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "TIMEOUT", 0.3)
    server.add_issue_comment(f"{MARKER}\nold") if fault.method == "PATCH" else None
    server.faults.append(replace(fault))
    assert job.run() == 0
    assert waits
    assert len(server.line_comments) == 1
    assert len(server.issue_comments) == 1


def test_waits_as_long_as_it_is_asked(server: GitHubServer, job: Job, waits: list[float]) -> None:
    server.faults.append(Fault("POST", "/reviews", 403, headers={"Retry-After": "7"}))
    job.run()
    assert waits == [7.0]


def test_a_limit_that_lasts_ends_the_job(server: GitHubServer, job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    server.faults.append(Fault("GET", "/comments", 403, headers={"Retry-After": "3600"}))
    assert job.run() == 2
    assert "GitHub asks to wait 3600 seconds" in capsys.readouterr().err


def test_a_token_that_only_reads(server: GitHubServer, job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    refusal = Fault("POST", "/reviews", 403, message="Resource not accessible by integration", times=9)
    server.faults.append(refusal)
    assert job.run() == 2
    error = capsys.readouterr().err
    assert "GitHub refuses (403): Resource not accessible by integration" in error
    assert "pull-requests: write" in error


@pytest.mark.parametrize("secret", [TOKEN, "ghs_another"])
def test_no_secret_in_the_log(
    secret: str, server: GitHubServer, job: Job, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", secret)
    monkeypatch.setenv("RETIRE_MODEL_TRACEBACK", "1")
    server.faults.append(Fault("GET", "/comments", 404, times=9))
    assert job.run() == 2
    assert "ghs_" not in "".join(capsys.readouterr())


def test_no_token(server: GitHubServer, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    assert job.run() == 2
    assert server.requests == []


def test_the_token_goes_nowhere_else(server: GitHubServer, job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    assert job.run("--api-url", "http://github.example.org/api/v3") == 2
    assert "is not an https address" in capsys.readouterr().err
    with GitHubServer().running() as other:
        elsewhere = {"Link": f'<{other.url}/repos/org/engine/issues/7/comments>; rel="next"'}
        server.faults.append(Fault("GET", "/issues/7/comments", 200, headers=elsewhere))
        assert job.run() == 2
        assert other.requests == []


@pytest.mark.parametrize(
    "broken",
    [
        {"commit_id": "c" * 40},
        {"body": "no marker"},
        {"body": f"{MARKER}\n{'x' * 65536}"},
        {"comments": [line("<!-- other -->", 3)]},
        {"comments": [line(FIRST, 0)]},
        {"comments": [line(FIRST, 3, start_line=3)]},
        {"comments": [line(FIRST, 3, path="../../etc/passwd")]},
        {"comments": [line(FIRST, 3)] * 41},
        {"comments": "all"},
    ],
    ids=lambda broken: next(iter(broken)),
)
def test_a_review_that_is_none_of_ours(broken: dict[str, Any], server: GitHubServer, job: Job) -> None:
    job.review(**broken)
    assert job.run() == 2
    assert server.changes() == []


@pytest.mark.parametrize("action", ["closed", "labeled"])
def test_events_without_a_new_commit(action: str, server: GitHubServer, job: Job) -> None:
    job.pull_request(action)
    assert job.run() == 0
    assert server.requests == []


def test_no_event(server: GitHubServer, job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    del server
    job.event.write_text("[]")
    assert job.run() == 2
    job.event.unlink()
    assert job.run() == 2
    assert "is no event of" in capsys.readouterr().err


def test_a_maintainer_asks_for_a_review(server: GitHubServer, job: Job) -> None:
    job.comment("/retire-model review\r\nplease")
    assert job.run() == 0
    assert len(server.reviews) == 1


@pytest.mark.parametrize("login", ["reader", "stranger"])
def test_others_are_not_answered(login: str, server: GitHubServer, job: Job) -> None:
    job.comment("/retire-model gpt2", login)
    assert job.run() == 0
    assert server.changes() == []


@pytest.mark.parametrize("body", ["", "look: /retire-model gpt2", "/retire-models gpt2", "/retire-model"])
def test_comments_about_something_else(body: str, server: GitHubServer, job: Job) -> None:
    job.comment(body)
    assert job.run() == 0
    assert server.requests == []


def test_an_edited_comment_is_no_command(server: GitHubServer, job: Job) -> None:
    job.comment("/retire-model gpt2", action="edited")
    assert job.run() == 0
    assert server.requests == []


def test_a_model_is_judged(server: GitHubServer, job: Job, tmp_path: Path) -> None:
    options = ["--engine", str(write_engine(tmp_path)), "--transformers", str(write_release(tmp_path))]
    job.comment("/retire-model toy --plugin=x $(id)")
    assert job.run(*options) == 0
    (comment,) = server.issue_comments
    assert comment["body"].startswith("<!-- retire-model answer 55 -->\n### toy: ")
    assert "| pipeline-parallel |" in comment["body"]
    assert job.run(*options) == 0
    assert len(server.issue_comments) == 1
    job.comment("/retire-model @org/team")
    assert job.run(*options) == 0
    assert len(server.issue_comments) == 1
