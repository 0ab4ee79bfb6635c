"""Puts the files of a commit into a folder: plain files alone, within bounds, and only what is ever read.

`git archive` would do it too, but a tree can say by its own `.gitattributes` what an archive leaves out or changes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem
from analyzer.source.regular_files import LARGEST_FILE
from codemods.writing.disk import Disk

if TYPE_CHECKING:
    from pathlib import Path

    from retire_model.review.git_objects import Repository, TreeEntry

PLAIN = frozenset({"100644", "100755"})
READ = frozenset({".py", ".md", ".yaml", ".yml", ".sh", ".json", ".txt", ".jinja", ".toml", ".cfg"})
READ_NAMES = frozenset({"CODEOWNERS", "PKG-INFO"})
MOST_FILES = 60_000
MOST_BYTES = 1024**3


@dataclass(frozen=True, slots=True)
class Materialised:
    """A commit's files in a folder."""

    root: Path
    contents: dict[str, str]
    """By path the name of the content, of every file that was written."""


def materialise(repository: Repository, commit: str, root: Path, known: Materialised | None = None) -> Materialised:
    """Write the files of `commit` below the new folder `root`; what `known` has as well is linked to it.

    Raises `EnvironmentProblem` for a commit that is too large.
    """
    entries = {path: entry for entry in repository.entries(commit) if (path := _path(entry)) is not None}
    if len(entries) > MOST_FILES or sum(entry.size for entry in entries.values()) > MOST_BYTES:
        raise EnvironmentProblem(f"{commit[:12]} is too large to be reviewed", "Review a smaller tree.")
    made: set[str] = set()
    root.mkdir()
    held = {content: known.root / path for path, content in known.contents.items()} if known else {}
    missing: dict[str, list[str]] = {}
    contents = {path: entry.content for path, entry in entries.items()}
    for path, content in contents.items():
        if content in held:
            _make_folder(root, path, made)
            Disk().keep(held[content], root / path)
        else:
            missing.setdefault(content, []).append(path)
    for content, data in repository.contents(missing):
        for path in missing[content]:
            _make_folder(root, path, made)
            _write(root / path, data)
    return Materialised(root, contents)


def _path(entry: TreeEntry) -> str | None:
    """Where the file goes; None for what is not written: links, submodules, names that no tree of an engine has."""
    try:
        path = entry.path.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return path if entry.mode in PLAIN and entry.size <= LARGEST_FILE and is_harmless(path) and is_read(path) else None


def is_harmless(path: str) -> bool:
    """Whether a path of a commit stays below the root, and can be named in a report."""
    parts = path.split("/")
    return (
        path.isprintable() and "\\" not in path and not any(p in {"", ".", ".."} or p.lower() == ".git" for p in parts)
    )


def is_read(path: str) -> bool:
    """Whether anything ever reads such a file."""
    pure = PurePosixPath(path)
    return pure.suffix in READ or pure.name in READ_NAMES


def _make_folder(root: Path, path: str, made: set[str]) -> None:
    folder = path.rpartition("/")[0]
    if folder not in made:
        (root / folder).mkdir(parents=True, exist_ok=True)
        made.add(folder)


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
