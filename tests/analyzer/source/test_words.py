"""Words that may be names of fields."""

from __future__ import annotations

from analyzer.source.words import words_mentioned


def test_words_behind_a_dot_or_a_quote() -> None:
    assert words_mentioned([b"config.alpha + getattr(config, 'beta') # gamma"]) == {"alpha", "beta"}
