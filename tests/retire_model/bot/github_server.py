"""A server on this machine that answers as GitHub's API does, after its public documentation: no mock of our client."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TOKEN = "ghs_secretsecretsecret"
DOCUMENTED = "https://docs.github.com/rest"
Answer = tuple[int, Any, dict[str, str]]


@dataclass
class Fault:
    """What goes wrong with the next requests that fit."""

    method: str
    path: str
    status: int
    times: int = 1
    headers: dict[str, str] = field(default_factory=dict)
    carried_out: bool = False
    """The request was done all the same."""
    delay: float = 0.0
    message: str = "Something went wrong"


class GitHubServer:
    """One repository, `org/engine`, with its comments in memory."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.issue_comments: list[dict[str, Any]] = []
        self.line_comments: list[dict[str, Any]] = []
        self.reviews: list[dict[str, Any]] = []
        self.minimised: list[str] = []
        self.permissions = {"maintainer": "write", "owner": "admin", "reader": "read"}
        self.shown_lines: Callable[[dict[str, Any]], bool] = lambda _: True
        self.pull_request: dict[str, Any] = {}
        self.user: dict[str, Any] | None = None
        self.requests: list[str] = []
        self.faults: list[Fault] = []
        self.page = 30
        self._ids = iter(range(1000, 10**6))
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}{self.prefix}"

    @contextlib.contextmanager
    def running(self) -> Iterator[GitHubServer]:
        thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        thread.start()
        yield self
        self._http.shutdown()
        self._http.server_close()
        thread.join()

    def add_issue_comment(self, body: str, login: str = "github-actions[bot]") -> dict[str, Any]:
        comment = {"id": next(self._ids), "body": body, "user": {"login": login}}
        self.issue_comments.append(comment)
        return comment

    def add_line_comment(self, login: str = "github-actions[bot]", **given: Any) -> dict[str, Any]:
        number = next(self._ids)
        comment = {"id": number, "node_id": f"PRRC_{number}", "user": {"login": login}, **given}
        self.line_comments.append(comment)
        return comment

    def changes(self) -> list[str]:
        return [request for request in self.requests if not request.startswith("GET")]

    def answer(self, method: str, path: str, query: dict[str, list[str]], data: Any) -> Answer:
        """The routes that the documentation has."""
        repository = "/repos/org/engine"
        routes: list[tuple[str, str, Callable[..., Answer]]] = [
            ("GET", r"/user", self._user),
            ("GET", rf"{repository}/collaborators/([^/]+)/permission", self._permission),
            ("GET", rf"{repository}/pulls/7", lambda: (200, self.pull_request, {})),
            ("GET", rf"{repository}/issues/7/comments", lambda: self._listed(self.issue_comments, path, query)),
            ("POST", rf"{repository}/issues/7/comments", lambda: self._post_comment(data)),
            ("PATCH", rf"{repository}/issues/comments/(\d+)", lambda i: self._patch(self.issue_comments, i, data)),
            ("GET", rf"{repository}/pulls/7/comments", lambda: self._listed(self.line_comments, path, query)),
            ("PATCH", rf"{repository}/pulls/comments/(\d+)", lambda i: self._patch(self.line_comments, i, data)),
            ("POST", rf"{repository}/pulls/7/reviews", lambda: self._post_review(data)),
        ]
        for verb, pattern, action in routes:
            if verb == method and (found := re.fullmatch(pattern, path)):
                return action(*found.groups())
        return 404, {"message": "Not Found", "documentation_url": DOCUMENTED}, {}

    def graphql(self, data: Any) -> Answer:
        self.minimised.append(data["variables"]["id"])
        assert "minimizeComment" in data["query"]
        return 200, {"data": {"minimizeComment": {"clientMutationId": None}}}, {}

    def _user(self) -> Answer:
        if self.user is None:
            return 403, {"message": "Resource not accessible by integration", "documentation_url": DOCUMENTED}, {}
        return 200, self.user, {}

    def _permission(self, login: str) -> Answer:
        if login not in self.permissions:
            return 404, {"message": f"{login} is not a user"}, {}
        return 200, {"permission": self.permissions[login], "user": {"login": login}}, {}

    def _listed(self, items: list[dict[str, Any]], path: str, query: dict[str, list[str]]) -> Answer:
        size = min(int(query.get("per_page", ["30"])[0]), self.page)
        page = int(query.get("page", ["1"])[0])
        headers = {}
        if page * size < len(items):
            following = f"{self.url}{path}?per_page={size}&page={page + 1}"
            headers["Link"] = f'<{following}>; rel="next", <{self.url}{path}?page=99>; rel="last"'
        return 200, items[(page - 1) * size : page * size], headers

    def _post_comment(self, data: Any) -> Answer:
        if len(data["body"]) > 65536:
            errors = [
                {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "body is too long"}
            ]
            return 422, {"message": "Validation Failed", "errors": errors}, {}
        return 201, self.add_issue_comment(data["body"]), {}

    def _patch(self, items: list[dict[str, Any]], number: str, data: Any) -> Answer:
        for item in items:
            if item["id"] == int(number):
                item["body"] = data["body"]
                return 200, item, {}
        return 404, {"message": "Not Found"}, {}

    def _post_review(self, data: Any) -> Answer:
        assert data["event"] == "COMMENT"
        if not all(map(self.shown_lines, data["comments"])):
            errors = ["Pull request review thread line must be part of the diff"]
            return 422, {"message": "Unprocessable Entity", "errors": errors, "documentation_url": DOCUMENTED}, {}
        self.reviews.append(data)
        for comment in data["comments"]:
            self.add_line_comment(**comment)
        return 200, {"id": next(self._ids), "state": "COMMENTED"}, {}

    def fault_of(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and fault.method == method and re.search(fault.path, path):
                fault.times -= 1
                return fault
        return None

    def _handler(server: GitHubServer) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - the handler has a `self` too
        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                parts = urlsplit(self.path)
                size = int(self.headers.get("Content-Length") or 0)
                data = json.loads(self.rfile.read(size)) if size else None
                with server._lock:
                    server.requests.append(f"{self.command} {self.path}")
                    status, content, headers = self._answer(parts.path, parse_qs(parts.query), data)
                body = json.dumps(content).encode()
                self.send_response(status)
                headers = {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4999"} | headers
                headers = {"X-RateLimit-Reset": str(int(time.time()) + 3600)} | headers
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(body)

            def _answer(self, path: str, query: dict[str, list[str]], data: Any) -> Answer:
                if self.headers.get("Authorization") not in {f"token {TOKEN}", f"Bearer {TOKEN}"}:
                    return 401, {"message": "Bad credentials", "documentation_url": DOCUMENTED}, {}
                if not self.headers.get("User-Agent"):
                    return 403, {"message": "Request forbidden by administrative rules."}, {}
                fault = server.fault_of(self.command, path)
                if fault is not None:
                    if fault.carried_out:
                        server.answer(self.command, path.removeprefix(server.prefix), query, data)
                    time.sleep(fault.delay)
                    return fault.status, {"message": fault.message, "documentation_url": DOCUMENTED}, fault.headers
                if path in {"/graphql", "/api/graphql"}:
                    return server.graphql(data)
                return server.answer(self.command, path.removeprefix(server.prefix), query, data)

            do_GET = do_POST = do_PATCH = _serve  # noqa: N815 - what the base class calls

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

        return Handler
