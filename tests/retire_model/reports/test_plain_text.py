"""Text of strangers, made harmless."""

from __future__ import annotations

import pytest

from retire_model.reports.plain_text import plain, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc é", "a\tb\nc é"),
        ("\x1b[31m", "␛[31m"),
        ("\r\x7f\x00", "␍␡␀"),
        ("\x9b2J\u202egnp\u2069", "\ufffd2J\ufffdgnp\ufffd"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert len(shown) == len(text)


def test_plain_is_one_line() -> None:
    assert plain("a\n\x1b::b") == "a\\x0a\\x1b::b"
