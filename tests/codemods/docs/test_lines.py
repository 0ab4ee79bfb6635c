"""A page's lines and their ends."""

from __future__ import annotations

import pytest

from codemods.docs.lines import DocsLines, LineEdits


@pytest.mark.parametrize("data", [b"", b"a", b"a\n", b"\xef\xbb\xbfa\r\nb\rc\n\nd", b"\xff\xfe\x00"])
def test_a_page_comes_back_as_it_was(data: bytes) -> None:
    assert DocsLines.of(data).encode() == data
    assert DocsLines.of(data).edited(LineEdits()).encode() == data


@pytest.mark.parametrize(
    ("data", "removed", "inserted", "expected"),
    [
        (b"a\nb\nc\n", {2}, {3: ["x"]}, b"a\nc\nx\n"),
        (b"a\r\nb\nc", {3}, {}, b"a\r\nb"),
        (b"a\r\nb\nc", set(), {3: ["x", "y"]}, b"a\r\nb\nc\r\nx\r\ny"),
        (b"a\r\nb\nc", {1}, {1: ["x"]}, b"x\r\nb\nc"),
        (b"a", set(), {1: ["x"]}, b"a\nx"),
    ],
)
def test_edits(data: bytes, removed: set[int], inserted: dict[int, list[str]], expected: bytes) -> None:
    edits = LineEdits(removed=removed)
    edits.inserted.update(inserted)
    assert DocsLines.of(data).edited(edits).encode() == expected
