"""Finds the processor that prepares images, sound or video for a model.

Facts of Transformers 4.57 to 5.24: `PROCESSOR_MAPPING_NAMES` in `models/auto/processing_auto.py`, since 5.10 in
`models/auto/auto_mappings.py` with the exceptions left behind in a dictionary of its own.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree

_FILES = ("transformers/models/auto/auto_mappings.py", "transformers/models/auto/processing_auto.py")
_MAPPINGS = ("PROCESSOR_MAPPING_NAMES", "MISSING_PROCESSOR_MAPPING_NAMES")


def read_processors(tree: SourceTree) -> dict[str, str]:
    """The processor class for each model type that has one. Raises `UnreadableSource`."""
    return {
        model_type: name
        for file in _FILES
        if tree.exists(file)
        for node in walk(tree.parse(file))
        for model_type, name in _rows(node)
    }


def _rows(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.List(elts=rows)])) if name in _MAPPINGS:
            for row in rows:
                match row:
                    case ast.Tuple(elts=[ast.Constant(value=str() as model_type), ast.Constant(value=str() as found)]):
                        yield model_type, found
