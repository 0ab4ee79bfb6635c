"""A git repository with an engine tree, and what GitHub does with a review: apply its suggestions and its patch."""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))
}
SUGGESTION = re.compile(r"^(`{3,})suggestion\n(?P<text>.*?)^\1$", re.MULTILINE | re.DOTALL)
PATCH = re.compile(r"^(`{3,})diff\n(?P<text>.*?)^\1$", re.MULTILINE | re.DOTALL)


class Repository:
    """The tree at `root` in git; everything in it is the first commit, `base`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "-q", "-b", "main")
        self.commit("The tree")
        self.git("tag", "base")

    def git(self, *arguments: str, given: str | None = None) -> str:
        done = subprocess.run(
            ["git", "-c", "core.autocrlf=false", *arguments],
            cwd=self.root,
            env=ENVIRONMENT,
            input=given,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, message: str) -> str:
        self.git("add", "-A", ".")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def read(self, file: str) -> str:
        return (self.root / file).read_bytes().decode()

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def change(self, file: str, old: str, new: str) -> None:
        text = self.read(file)
        assert old in text
        self.write(file, text.replace(old, new, 1))

    def line(self, file: str, text: str) -> int:
        return next(number for number, line in enumerate(self.read(file).split("\n"), 1) if text in line)

    def take(self, review: str) -> None:
        """Take all suggestions of a review, each as GitHub does, and its patch."""
        content = json.loads(review)
        for comment in sorted(content["comments"], key=lambda comment: -int(comment["line"])):
            self._take_suggestion(comment)
        if (found := PATCH.search(content["body"])) is not None:
            self.git("apply", "-", given=found["text"])

    def _take_suggestion(self, comment: dict[str, Any]) -> None:
        if (found := SUGGESTION.search(comment["body"])) is not None:
            lines = self.read(comment["path"]).split("\n")
            first = comment.get("start_line", comment["line"])
            lines[first - 1 : comment["line"]] = found["text"].split("\n")[:-1]
            self.write(comment["path"], "\n".join(lines))
