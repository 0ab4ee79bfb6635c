"""The walk that keeps what it found."""

from __future__ import annotations

import ast
import gc
import weakref
from pathlib import Path

from analyzer.source.syntax import walk

SOURCE = "class A:\n    x: int = 1\n    def f(self, *a, k=2, **b):\n        return [y for y in a if y] + self.x\n"


def of_the_standard_library(tree: ast.AST) -> list[int]:
    return [id(node) for node in ast.walk(tree) if not isinstance(node, ast.expr_context)]


def test_walks_as_the_standard_library_does() -> None:
    for file in (__file__, ast.__file__):
        tree = ast.parse(Path(file).read_bytes())
        assert sorted(id(node) for node in walk(tree)) == sorted(of_the_standard_library(tree))
    tree = ast.parse(SOURCE)
    assert [id(node) for node in walk(tree)] == of_the_standard_library(tree)


def test_a_second_walk_is_the_first_one() -> None:
    tree = ast.parse(SOURCE)
    inner = walk(tree.body[0])
    assert walk(tree.body[0]) == inner
    assert [id(node) for node in walk(tree)] == of_the_standard_library(tree)


def test_a_tree_that_nobody_needs_goes_by_itself() -> None:
    tree = ast.parse(SOURCE)
    collected = gc.isenabled()
    gc.disable()
    try:
        walk(tree)
        walk(tree.body[0])
        gone = weakref.ref(tree.body[0])
        del tree
        assert gone() is None
    finally:
        if collected:
            gc.enable()
