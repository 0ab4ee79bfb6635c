"""A documentation page as lines that can be taken out and put in, each with the line end it has."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import LINE_END, tables_of

if TYPE_CHECKING:
    from analyzer.engine.docs_tables import DocsTable

BYTE_ORDER_MARK = "\ufeff"


@dataclass(slots=True)
class LineEdits:
    """What is to be done to the lines of a page, by their numbers (from 1) before any of it is done."""

    removed: set[int] = field(default_factory=set)
    replaced: dict[int, str] = field(default_factory=dict)
    inserted: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The lines that come behind a line, whether or not that one stays."""

    def __bool__(self) -> bool:
        return bool(self.removed or self.replaced or self.inserted)


@dataclass(frozen=True)
class DocsLines:
    """The lines of a page. What is not UTF-8 passes through unchanged."""

    mark: str
    lines: tuple[str, ...]
    ends: tuple[str, ...]
    """One for each line; the last is empty, behind it the page ends."""

    @classmethod
    def of(cls, data: bytes) -> DocsLines:
        """Take the bytes of a page apart."""
        text = data.decode("utf-8", "surrogateescape")
        mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
        text = text.removeprefix(mark)
        return cls(mark, tuple(LINE_END.split(text)), (*LINE_END.findall(text), ""))

    def encode(self) -> bytes:
        """The bytes of the page."""
        lines = "".join(line + end for line, end in zip(self.lines, self.ends, strict=True))
        return (self.mark + lines).encode("utf-8", "surrogateescape")

    @cached_property
    def tables(self) -> tuple[DocsTable, ...]:
        """The page's tables."""
        return tables_of("\n".join(self.lines))

    def edited(self, edits: LineEdits) -> DocsLines:
        """The page with `edits` done; a page without a line end behind its last line stays one."""
        newline = self.ends[0] or "\n"
        pairs: list[tuple[str, str]] = []
        for number, (line, end) in enumerate(zip(self.lines, self.ends, strict=True), 1):
            if number not in edits.removed:
                pairs.append((edits.replaced.get(number, line), end or newline))
            pairs.extend((new, end or newline) for new in edits.inserted.get(number, ()))
        lines, ends = zip(*pairs or [("", "")], strict=True)
        return DocsLines(self.mark, lines, (*ends[:-1], ""))
