"""Reads commits from a repository's objects. Nothing is checked out, and no program that the tree names is run."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, WrongUse, shown
from codemods.writing.git import CALLERS, GIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PLAIN_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color")
ENVIRONMENT = {"LC_ALL": "C", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_TERMINAL_PROMPT": "0"}


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of a commit, by the name of its content."""

    mode: str
    content: str
    size: int
    path: bytes


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs between two commits."""

    status: str
    """`A`, `D`, `M`, `R` …, as git says it."""
    old: str
    """The name of the old content."""
    new: str
    path: bytes
    """Where it is now; of a deleted file where it was."""


class Repository:
    """The git repository whose work tree begins at `root`."""

    def __init__(self, root: Path) -> None:
        """Raises `EnvironmentProblem` where `root` is not the top of a repository."""
        self.root = root
        if self.run("rev-parse", "--show-prefix").strip():
            raise EnvironmentProblem(
                f"{root.resolve()} is a folder inside a git repository", "Name the repository's top."
            )

    def commit(self, ref: str) -> str:
        """The commit that `ref` names. Raises `WrongUse`."""
        try:
            return (
                self.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").decode().strip()
            )
        except EnvironmentProblem as error:
            raise WrongUse(
                f"no commit {shown(ref)!r} in {self.root.resolve()}", "Fetch it first: git fetch."
            ) from error

    def merge_base(self, base: str, head: str) -> str:
        """Where `head` left `base`. Raises `EnvironmentProblem` where the history that is here does not reach."""
        try:
            return self.run("merge-base", base, head).decode().split()[0]
        except (EnvironmentProblem, IndexError) as error:
            raise EnvironmentProblem(
                f"the history that is here does not say where {head[:12]} left {base[:12]}",
                "Fetch more of it: git fetch --unshallow, or fetch-depth: 0 in the workflow.",
            ) from error

    def blob(self, commit: str, file: str) -> bytes | None:
        """The content of `file` in `commit`; None where it has no such file."""
        try:
            return self.run("cat-file", "blob", f"{commit}:{file}")
        except EnvironmentProblem:
            return None

    def entries(self, commit: str) -> Iterator[TreeEntry]:
        """Every file, link and submodule of `commit`."""
        for line in filter(None, self.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit).split(b"\0")):
            about, _, path = line.partition(b"\t")
            mode, _, content, size = about.decode().split()
            yield TreeEntry(mode, content, int(size) if size.isdigit() else 0, path)

    def changed_files(self, base: str, head: str) -> Iterator[ChangedFile]:
        """What differs, renamed files found as GitHub finds them."""
        raw = self.run("diff-tree", "-r", "-z", "--raw", "-M", "--no-abbrev", base, head, "--")
        words = iter(raw.split(b"\0")[:-1])
        for about in words:
            _, _, old, new, status = about.decode().lstrip(":").split()
            path = next(words)
            if status[0] in "RC":
                path = next(words)
            yield ChangedFile(status[0], old, new, path)

    def difference(self, old: str, new: str) -> bytes:
        """The unified difference of two contents, with GitHub's three lines around each hunk."""
        return self.run("diff", *PLAIN_DIFF, "--unified=3", old, new)

    def messages(self, base: str, head: str) -> str:
        """What the commits from `base` to `head` say."""
        return self.run("log", "--format=%B", f"{base}..{head}").decode("utf-8", "replace")

    def contents(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """The contents with these names, one after another."""
        wanted = list(names)
        with subprocess.Popen(  # noqa: S603 - a fixed program; names go by standard input
            [*GIT, "cat-file", "--batch"],
            cwd=self.root,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdin is not None  # noqa: S101 - it is a pipe
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            # A name at a time would wait for each; all at once would fill the pipe while nobody reads.
            for start in range(0, len(wanted), BATCH):
                batch = wanted[start : start + BATCH]
                process.stdin.write("".join(f"{name}\n" for name in batch).encode())
                process.stdin.flush()
                for name in batch:
                    about = process.stdout.readline().split()
                    if len(about) != 3 or about[1] != b"blob":
                        process.kill()
                        raise EnvironmentProblem(f"git has no content {name}", "Fetch the whole of the commits.")
                    yield name, process.stdout.read(int(about[2]))
                    process.stdout.read(1)

    def run(self, *arguments: str) -> bytes:
        """What git prints. Raises `EnvironmentProblem`."""
        try:
            done = subprocess.run(  # noqa: S603 - a fixed program and arguments without a shell
                (*GIT, *arguments), cwd=self.root, env=_environment(), capture_output=True, check=False
            )
        except FileNotFoundError as error:
            raise EnvironmentProblem("git is not installed", "Install git.") from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise EnvironmentProblem(
                f"git {arguments[0]} failed in {self.root.resolve()}: {shown(said[0]) if said else 'no reason given'}",
                "Name the top of a git repository with --engine.",
            )
        return done.stdout


BATCH = 500


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in CALLERS} | ENVIRONMENT
