"""Takes paths of deleted files out of the files that steer CI and reviews."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemods.docs_lines import DocsLines, LineEdits
from codemods.edits import Deletion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft

FOLDERS = (".buildkite", ".github")
SUFFIXES = frozenset({".yaml", ".yml", ".sh", ""})


def drop_ci_paths(draft: Draft) -> None:
    """Drop the list items and lines that are about a deleted file alone, and its name among others in a command."""
    gone = [edit.file for edit in draft.change_set().edits if isinstance(edit, Deletion)]
    if not gone:
        return
    for file in _files(draft):
        data = draft.read(file)
        names = [name for path in gone for name in _ways_to_write(path) if name.encode() in data]
        if names:
            draft.rewrite(file, _without(DocsLines.of(data), names).encode(), "paths of deleted files")


def _files(draft: Draft) -> Iterator[str]:
    for folder in FOLDERS:
        if draft.tree.locate(folder).is_dir():
            yield from draft.tree.walk(folder, SUFFIXES)


def _ways_to_write(path: str) -> tuple[str, ...]:
    """From the root, and from the folder of the tests, in which CI runs them."""
    return (path, path.removeprefix("tests/")) if path.startswith("tests/") else (path,)


def _without(lines: DocsLines, names: list[str]) -> DocsLines:
    edits = LineEdits()
    for number, line in enumerate(lines.lines, 1):
        shorter = line
        for name in names:
            written = rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)"
            if re.fullmatch(rf"\s*- (?:files=)?[\"']?{written}[\"']?\s*", shorter) or re.match(
                rf"/?{re.escape(name)}\s+@", shorter
            ):
                edits.removed.add(number)
            elif len(re.findall(r"[\w./-]+\.py\b", shorter)) > 1:
                shorter = re.sub(rf" {written}", "", shorter)
        if shorter != line and number not in edits.removed:
            edits.replaced[number] = shorter
    return lines.edited(edits)
