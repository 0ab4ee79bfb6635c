"""Where a fact was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a source tree.

    `file` is relative to the root of its tree, with forward slashes (`vllm/…`, `transformers/…`);
    `line` and `column` count from 1, columns in characters.
    """

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def location_of(node: ast.expr | ast.stmt | ast.arg | ast.keyword, file: str) -> Location:
    """The place where `node` begins."""
    return Location(file, node.lineno, node.col_offset + 1)
