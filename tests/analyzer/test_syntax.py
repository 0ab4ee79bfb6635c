"""The walk that keeps what it found."""

from __future__ import annotations

import ast

from analyzer.syntax import walk

SOURCE = "class A:\n    x: int = 1\n    def f(self, *a, k=2, **b):\n        return [y for y in a if y] + self.x\n"


def test_walks_as_the_standard_library_does() -> None:
    tree = ast.parse(SOURCE)
    assert [id(node) for node in walk(tree)] == [id(node) for node in ast.walk(tree)]


def test_a_second_walk_is_the_first_one() -> None:
    tree = ast.parse(SOURCE)
    inner = walk(tree.body[0])
    assert walk(tree.body[0]) is inner
    assert [id(node) for node in walk(tree)] == [id(node) for node in ast.walk(tree)]
