"""Reads where a tree's CI names model files: test pipelines, the labelling rules of pull requests, code owners.

A pipeline's path is the beginning of the names it stands for; the labelling rules write whole names or regular
expressions; code owners write patterns as in `.gitignore`. Lines that are commented out do not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from analyzer.locations import Location

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree

MODEL_FOLDERS = ("vllm/model_executor/models", "vllm/models")
PIPELINES = ".buildkite"
LABELS = ".github/mergify.yml"
OWNERS = ".github/CODEOWNERS"
PIPELINE_PATH = re.compile(r"(?<![\w./-])(?:" + "|".join(MODEL_FOLDERS) + r")/[\w./*-]*[\w/*]")
LABEL = re.compile(r"(?<![\w])files(?P<expression>~?)=(?P<value>\S+)")
RISKY = re.compile(r"\)[*+{]|\\[1-9]|\(\?[^:]")
"""What may take a regular expression for ever, or is not needed to name files."""
MOST_REPEATS = 4


@dataclass(frozen=True, slots=True)
class CiPath:
    """One path below the folders of models."""

    text: str
    pattern: re.Pattern[str]
    line: str
    """All of the line that it stands in."""
    location: Location

    def leads_to(self, files: frozenset[str]) -> bool:
        """Whether it stands for one of `files`."""
        return any(self.pattern.match(file) for file in files)


def read_ci_paths(tree: SourceTree) -> tuple[CiPath, ...]:
    """Every such path, in order; none where a tree has no CI. Raises `UnreadableSource`."""
    return (*_pipelines(tree), *_labels(tree), *_owners(tree))


def _lines(tree: SourceTree, file: str) -> Iterator[tuple[int, str]]:
    if tree.exists(file) and any(folder.encode() in tree.read(file) for folder in MODEL_FOLDERS):
        text = tree.read(file).decode("utf-8-sig", "surrogateescape")
        for number, line in enumerate(text.splitlines(), 1):
            if not line.lstrip().startswith("#"):
                yield number, line


def _pipelines(tree: SourceTree) -> Iterator[CiPath]:
    for file in tree.walk(PIPELINES, frozenset({".yaml", ".yml", ".sh", ".json", ".txt"})):
        for number, line in _lines(tree, file):
            for found in PIPELINE_PATH.finditer(line):
                text = found[0].removesuffix("/")
                # A path stands for all that begins with it, unless it is a file's whole name.
                pattern = _glob(text, "$" if "." in text.rpartition("/")[2] else "")
                if pattern is not None:
                    yield CiPath(text, pattern, line, Location(file, number, found.start() + 1))


def _labels(tree: SourceTree) -> Iterator[CiPath]:
    for number, line in _lines(tree, LABELS):
        for found in LABEL.finditer(line):
            text = found["value"].strip("\"'")
            if not text.lstrip("^").startswith(MODEL_FOLDERS):
                continue
            pattern = _expression(text) if found["expression"] else re.compile(re.escape(text) + "$")
            if pattern is not None:
                yield CiPath(text, pattern, line, Location(LABELS, number, found.start("value") + 1))


def _owners(tree: SourceTree) -> Iterator[CiPath]:
    for number, line in _lines(tree, OWNERS):
        text = line.split()[0] if line.split() else ""
        if text.lstrip("/").startswith(MODEL_FOLDERS):
            pattern = _glob(text.strip("/"), "(?:/|$)")
            if pattern is not None:
                yield CiPath(text, pattern, line, Location(OWNERS, number, line.find(text) + 1))


@cache
def _glob(path: str, end: str) -> re.Pattern[str] | None:
    """A path with `*` (within a name) and `**` (across folders); None where it may take for ever."""
    pieces = re.split(r"(\*\*/|\*\*|\*)", path)
    if len(pieces) // 2 > MOST_REPEATS:
        return None
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re.compile("".join(meanings.get(piece) or re.escape(piece) for piece in pieces) + end)


def _expression(text: str) -> re.Pattern[str] | None:
    """A regular expression of a stranger; None where it is none or may take for ever."""
    if RISKY.search(text) or len(re.findall(r"[*+]", text)) > MOST_REPEATS:
        return None
    try:
        return re.compile(text)
    except re.error:
        return None
