"""Reads the comments by which an engine tree silences a rule at one place.

    # retire-model: ignore[rule-code, another-rule] the reason, which is required
    <!-- retire-model: ignore[rule-code] the same in Markdown -->

The comment stands on the line it speaks of, or alone on the line above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import LINE_END
from analyzer.errors import UnreadableSource, WrongUse

if TYPE_CHECKING:
    from analyzer.locations import Location
    from analyzer.source.source_tree import SourceTree

_COMMENT = re.compile(r"(?:#|<!--)\s*retire-model:\s*ignore\[(?P<codes>[^\]]*)\](?P<reason>.*?)(?:-->|$)")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One such comment."""

    codes: frozenset[str]
    reason: str
    line: int


class Suppressions:
    """The suppressions of a tree, read file by file when they are asked for."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        self._files: dict[str, dict[int, Suppression]] = {}

    def silences(self, code: str, location: Location) -> bool:
        """Whether a comment of the tree silences `code` at `location`.

        Raises `WrongUse` for a comment that would, but gives no reason.
        """
        found = self._of(location.file).get(location.line)
        if found is None or code not in found.codes:
            return False
        if not found.reason:
            raise WrongUse(
                f"{location.file}:{found.line} ignores {code} without a reason",
                f"Say why behind the bracket: # retire-model: ignore[{code}] because …",
            )
        return True

    def _of(self, file: str) -> dict[int, Suppression]:
        known = self._files.get(file)
        if known is None:
            known = self._files[file] = _read(self._tree, file)
        return known


def _read(tree: SourceTree, file: str) -> dict[int, Suppression]:
    try:
        if not tree.exists(file) or b"retire-model:" not in tree.read(file):
            return {}
        # Other bytes than UTF-8 change neither the comments nor where lines end.
        lines = LINE_END.split(tree.read(file).decode("utf-8", "surrogateescape"))
    except UnreadableSource:
        return {}
    found: dict[int, Suppression] = {}
    for number, line in enumerate(lines, 1):
        match = _COMMENT.search(line)
        if match is not None:
            codes = frozenset(code.strip() for code in match["codes"].split(","))
            alone = line.lstrip().startswith(("#", "<!--"))
            found[number + alone] = Suppression(codes, match["reason"].strip(), number)
    return found
