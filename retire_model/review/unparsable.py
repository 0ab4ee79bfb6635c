"""The question `unparsable-file`: whether what the change leaves is Python at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource
from analyzer.locations import Location
from retire_model.review.question import Question
from retire_model.review.remark import Remark, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.source.source_tree import SourceTree

PYTHON = ".py"


class UnparsableFile(Question):
    """Whether every Python file that a change leaves can be parsed.

    **What it does.** Parses the Python files that differ. Where one that everything else rests on, such as the
    registry, cannot be parsed, nothing else is asked of the change, and that is said.

    **Why.** A conflict marker that was committed, or half of an entry, breaks the import of the whole engine.

    **How to mend.** Mend the line, and push again: the rest is looked at then.
    """

    code = "unparsable-file"


def unparsable_files(tree: SourceTree, changed: Iterable[str]) -> Iterator[Remark]:
    """A remark for each of the `changed` files that `tree` has and that cannot be parsed."""
    for file in changed:
        if file.endswith(PYTHON) and tree.exists(file):
            try:
                tree.parse(file)
            except UnreadableSource as error:
                yield Remark(
                    Location(file, error.line or 1), UnparsableFile.code, Severity.ERROR, error.problem, error.remedy
                )
