"""Suggestions for mistyped names."""

from __future__ import annotations

import pytest

from analyzer.near_names import did_you_mean, near_names

KNOWN = ["gpt2", "gptj", "gpt_j", "toy", "olmo", "olmo2", "xlnet"]


@pytest.mark.parametrize(
    ("name", "near"),
    [("gpt22", ["gpt2"]), ("GPT2x", ["gpt2"]), ("toyy", ["toy"]), ("lint", []), ("", []), ("z" * 10_000, [])],
)
def test_only_what_is_near(name: str, near: list[str]) -> None:
    assert near_names(name, KNOWN) == near


def test_the_nearest_first_and_not_too_many() -> None:
    assert near_names("olmo9", KNOWN) == ["olmo", "olmo2"]
    assert near_names("olmo9", KNOWN, most=1) == ["olmo"]


def test_sentence() -> None:
    assert did_you_mean("gpt22", KNOWN, "Look.") == "Did you mean gpt2?"
    assert did_you_mean("zzz", KNOWN, "Look.") == "Look."
