"""Which lines of the new side a pull request shows: only there can a remark or a suggestion stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from retire_model.review.materialise import is_harmless

if TYPE_CHECKING:
    from analyzer.locations import Location
    from retire_model.review.git_objects import ChangedFile, Repository

HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(?P<first>\d+)(?:,(?P<count>\d+))? @@", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of the new side that stand together in the difference, the unchanged ones around them included."""

    first: int
    last: int

    def holds(self, first: int, last: int) -> bool:
        """Whether all of these lines are in it."""
        return self.first <= first <= last <= self.last


class ChangedLines:
    """The files that differ between two commits, and where."""

    def __init__(self, repository: Repository, base: str, head: str) -> None:
        self._repository = repository
        self._files = {file.path.decode("utf-8", "replace"): file for file in repository.changed_files(base, head)}
        self._hunks: dict[str, tuple[Hunk, ...]] = {}

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The files that differ, of those whose names can be told."""
        return tuple(path for path in self._files if is_harmless(path))

    def hunks(self, path: str) -> tuple[Hunk, ...]:
        """The hunks of `path`; none where it does not differ."""
        known = self._hunks.get(path)
        if known is None:
            file = self._files.get(path)
            known = self._hunks[path] = self._read(file) if file is not None else ()
        return known

    def shows(self, path: str, first: int, last: int) -> bool:
        """Whether one hunk of `path` holds all of these lines."""
        return any(hunk.holds(first, last) for hunk in self.hunks(path))

    def shows_line(self, location: Location) -> bool:
        """Whether the difference shows the line of `location`."""
        return self.shows(location.file, location.line, location.line)

    def _read(self, file: ChangedFile) -> tuple[Hunk, ...]:
        if file.status == "D":
            return ()
        if file.status == "A":
            data = self._repository.run("cat-file", "blob", file.new)
            lines = data.count(b"\n") + (not data.endswith(b"\n"))
            return (Hunk(1, lines),) if data and b"\0" not in data else ()
        found = []
        for match in HUNK.finditer(self._repository.difference(file.old, file.new)):
            first, count = int(match["first"]), int(match["count"] or 1)
            if count:
                found.append(Hunk(first, first + count - 1))
        return tuple(found)
