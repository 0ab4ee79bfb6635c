"""The functions of the backend's files, which its readers go through."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from analyzer.engine.engine_tree import MODELS_FOLDER
from analyzer.source.syntax import every

if TYPE_CHECKING:
    from collections.abc import Iterator

BACKEND_PACKAGE = f"{MODELS_FOLDER}/transformers"
Node = TypeVar("Node", bound=ast.AST)
Functions = Mapping[str, tuple[ast.FunctionDef, ...]]
"""For each file all its functions and methods."""


def functions_of(trees: Mapping[str, ast.Module]) -> Functions:
    """The functions of these files, inner ones too."""
    return {file: every(tree, ast.FunctionDef) for file, tree in trees.items()}


def every_in(functions: Functions, kind: type[Node]) -> Iterator[tuple[str, Node]]:
    """Each node of this kind with its file; one of an inner function once for each function around it."""
    return ((file, node) for file, found in functions.items() for function in found for node in every(function, kind))
