"""Edits as values, and the draft that codemods make them in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from codemods.mentions import WordIndex

if TYPE_CHECKING:
    from analyzer.source.source_tree import SourceTree


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A file gets new content."""

    file: str
    before: bytes
    after: bytes
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Creation:
    """A file that does not exist yet."""

    file: str
    after: bytes
    reasons: tuple[str, ...]
    mode: int | None = None
    """Its permissions; None for those that files are made with."""


@dataclass(frozen=True, slots=True)
class Deletion:
    """A file goes."""

    file: str
    before: bytes
    reasons: tuple[str, ...]


Edit = Rewrite | Creation | Deletion


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Edits that are applied together or not at all, one a file, sorted by file."""

    edits: tuple[Edit, ...]

    @property
    def contents(self) -> dict[str, bytes | None]:
        """What each file becomes; None for one that goes."""
        return {edit.file: None if isinstance(edit, Deletion) else edit.after for edit in self.edits}


class Draft:
    """A tree with edits not yet written: codemods run one after another on what the earlier ones left."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.index = WordIndex(tree.root)
        self._content: dict[str, bytes | None] = {}
        self._reasons: dict[str, list[str]] = {}

    def exists(self, file: str) -> bool:
        """Whether the draft still (or already) has `file`."""
        return self._content[file] is not None if file in self._content else self.tree.exists(file)

    def read(self, file: str) -> bytes:
        """The bytes of `file` as drafted so far. Raises `UnreadableSource`."""
        drafted = self._content.get(file)
        return self.tree.read(file) if drafted is None else drafted

    def rewrite(self, file: str, after: bytes, reason: str) -> None:
        """Give `file` the content `after`; no edit where nothing changes."""
        if not self.exists(file) or after != self.read(file):
            self._content[file] = after
            self._reasons.setdefault(file, []).append(reason)

    def delete(self, file: str, reason: str) -> None:
        """Take `file` away."""
        self._content[file] = None
        self._reasons.setdefault(file, []).append(reason)

    def reasons(self, file: str) -> tuple[str, ...]:
        """Why `file` is drafted, in order."""
        return tuple(self._reasons.get(file, ()))

    def change_set(self) -> ChangeSet:
        """The edits that lead from the tree to the draft."""
        edits: list[Edit] = []
        for file, after in sorted(self._content.items()):
            reasons = self.reasons(file)
            before = self.tree.read(file) if self.tree.exists(file) else None
            if before is None:
                if after is not None:
                    edits.append(Creation(file, after, reasons))
            elif after is None:
                edits.append(Deletion(file, before, reasons))
            elif after != before:
                edits.append(Rewrite(file, before, after, reasons))
        return ChangeSet(tuple(edits))
