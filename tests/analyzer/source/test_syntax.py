"""The walk that keeps what it found."""

from __future__ import annotations

import ast
import gc
import weakref
from pathlib import Path

from analyzer.source.syntax import every, walk

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
        every(tree, ast.ClassDef)
        every(tree.body[0], ast.ClassDef)
        gone = weakref.ref(tree.body[0])
        del tree
        assert gone() is None
    finally:
        if collected:
            gc.enable()


def test_nodes_of_one_kind_come_in_the_order_of_the_walk() -> None:
    for file in (__file__, ast.__file__):
        tree = ast.parse(Path(file).read_bytes())
        for node in (tree, *tree.body):
            for kind in {type(part) for part in walk(node)}:
                assert every(node, kind) == tuple(part for part in walk(node) if type(part) is kind)
    assert every(tree, ast.AsyncFor) == ()


def test_of_a_kind_are_no_derived_ones() -> None:
    call = ast.parse("f(g(x))", mode="eval").body
    assert [ast.unparse(node) for node in every(call, ast.Call)] == ["f(g(x))", "g(x)"]
    assert every(call, ast.expr) == ()
