"""Texts that are spelled from constants."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.source import constant_text
from analyzer.source.constant_text import UNKNOWN, bound_texts, spelled_texts

if TYPE_CHECKING:
    import pytest


def spelled(source: str) -> list[str]:
    module = ast.parse(source)
    return [text for _, text in spelled_texts(module, bound_texts(module))]


def test_each_text_whole_and_once() -> None:
    assert spelled("x = 'a' + f'{b}c' + 'd'\ny = 'e'\nz = a + b + 'f'\n") == [f"a{UNKNOWN}cd", "e", f"{UNKNOWN * 2}f"]


def test_a_long_sum_of_which_nothing_is_known_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    followed = []
    text_of = constant_text.text_of

    def counted(node: ast.expr, bound: dict[str, str]) -> str:
        followed.append(node)
        return text_of(node, bound)

    monkeypatch.setattr(constant_text, "text_of", counted)
    assert spelled(f"x = {'a + ' * 900}a\n") == []
    assert sum(isinstance(node, ast.BinOp) for node in followed) <= 2
    assert spelled(f"x = {'a + ' * 950}a\ny = 'b'\n") == ["b"]
