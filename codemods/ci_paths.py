"""Takes paths of deleted files out of the files that steer CI and reviews."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analyzer.locations import Location
from analyzer.uses.ci_paths import MODEL_FOLDERS, read_ci_paths
from codemods.docs.lines import DocsLines, LineEdits
from codemods.edits import Deletion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.source.source_tree import SourceTree
    from codemods.edits import Draft

FOLDERS = (".buildkite", ".github")
SUFFIXES = frozenset({".yaml", ".yml", ".sh", ""})
PYTHON_FILE = re.compile(r"[\w./-]+\.py\b")
PYTHON = frozenset({".py"})
PATTERN_ALONE = re.compile(r"/?[\w./*-]+(?:\s+@\S+)+\s*|\s*- (?:files~?=)?[\"']?\S+\s*")
"""A line of code owners, or an item of a list."""
ITEM = re.compile(r"\s*- ")


def drop_ci_paths(draft: Draft) -> None:
    """Drop the list items and lines that are about deleted files alone, and their names among others in a command.

    So goes a pattern that stands for no file any more. The only command of a step stays, for a person to take the step
    away.
    """
    gone = [edit.file for edit in draft.change_set().edits if isinstance(edit, Deletion)]
    if not gone:
        return
    idle = _idle_patterns(draft, frozenset(gone))
    for file in ci_files(draft.tree):
        data = draft.read(file)
        names = [name for path in gone for name in _ways_to_write(path) if name.encode() in data]
        lines = DocsLines.of(data)
        without = {number for number, line in enumerate(lines.lines, 1) if (file, line) in idle}
        if names or without:
            draft.rewrite(file, _without(lines, names, without).encode(), "paths of deleted files")


def _idle_patterns(draft: Draft, gone: frozenset[str]) -> frozenset[tuple[str, str]]:
    """Files and lines that are nothing but a pattern which stood for some of `gone`, and for no file that stays."""
    found = [path for path in read_ci_paths(draft.tree) if path.leads_to(gone)]
    folders = (folder for folder in MODEL_FOLDERS if draft.tree.locate(folder).is_dir()) if found else ()
    staying = frozenset(f for folder in folders for f in draft.tree.walk(folder, PYTHON) if draft.exists(f))
    alone = (path for path in found if PATTERN_ALONE.fullmatch(path.line))
    return frozenset((path.location.file, path.line) for path in alone if not path.leads_to(staying))


def ci_files(tree: SourceTree) -> Iterator[str]:
    """The files that say what CI does."""
    for folder in FOLDERS:
        if tree.locate(folder).is_dir():
            yield from tree.walk(folder, SUFFIXES)


def _ways_to_write(path: str) -> tuple[str, ...]:
    """From the root, and from the folder of the tests, in which CI runs them."""
    return (path, path.removeprefix("tests/")) if path.startswith("tests/") else (path,)


def ci_paths_left(tree: SourceTree, gone: Iterable[str]) -> Iterator[tuple[Location, str]]:
    """Where CI still names a file of `gone`, save in comments; patterns are the affair of `dangling-ci-path`."""
    names = [(path, name) for path in gone for name in _ways_to_write(path)]
    for file in ci_files(tree) if names else ():
        data = tree.read(file)
        for path, name in names:
            if name.encode() in data:
                for number, line in enumerate(DocsLines.of(data).lines, 1):
                    if not line.lstrip().startswith("#") and re.search(_written(name), line):
                        yield Location(file, number), path


def _written(name: str) -> str:
    return rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)"


def _without(lines: DocsLines, names: list[str], idle: set[int]) -> DocsLines:
    edits = LineEdits()
    edits.removed |= idle
    for number, line in enumerate(lines.lines, 1):
        shorter = line
        for name in names:
            written = _written(name)
            if re.fullmatch(rf"\s*- (?:files=)?[\"']?{written}[\"']?\s*", shorter) or re.match(
                rf"/?{re.escape(name)}\s+@", shorter
            ):
                edits.removed.add(number)
            elif len(PYTHON_FILE.findall(shorter)) > 1:
                shorter = re.sub(rf" {written}", "", shorter)
            elif re.search(written, shorter) and _is_among_others(lines, number):
                edits.removed.add(number)
        if shorter != line and number not in edits.removed:
            edits.replaced[number] = shorter
    return lines.edited(edits)


def _is_among_others(lines: DocsLines, number: int) -> bool:
    """Whether a line is a command on the one file that it names, in a list that has another item beside it."""
    line = lines.lines[number - 1]
    found = ITEM.match(line)
    if found is None or "pytest" not in line or any(sign in line for sign in (";", "&&", "|", "{")):
        return False
    beside = (lines.lines[n] for n in (number - 2, number) if 0 <= n < len(lines.lines))
    return any(other.startswith(found[0]) for other in beside)
