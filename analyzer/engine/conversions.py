"""Reads what the engine makes of an architecture's ending: the task that it stands for, and what it converts it from.

Facts of `vllm/config/model.py` and of `_ModelRegistry._normalize_arch`, vLLM 0.11.2 to 0.33.0.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from analyzer.source.source_tree import parse_python

if TYPE_CHECKING:
    from collections.abc import Container

    from analyzer.source.source_tree import SourceTree

MODEL_CONFIG_FILE = "vllm/config/model.py"
ENDINGS = "_SUFFIX_TO_DEFAULTS"


def read_default_tasks(tree: SourceTree) -> tuple[tuple[str, str], ...]:
    """`(ending, convert type)` in the engine's order; nothing where the tree has no such table.

    Raises `UnreadableSource` where the file does not parse.
    """
    if not tree.exists(MODEL_CONFIG_FILE):
        return ()
    # One table of a file of two thousand lines: that statement alone is parsed.
    table = re.search(rb"^" + ENDINGS.encode() + rb"\b.*?^\]", tree.read(MODEL_CONFIG_FILE), re.MULTILINE | re.DOTALL)
    if table is None:
        return ()
    for statement in parse_python(table[0], MODEL_CONFIG_FILE).body:
        match statement:
            case ast.AnnAssign(value=ast.List(elts=rows)):
                try:
                    return tuple((ending, convert) for ending, (_, convert) in map(ast.literal_eval, rows))
                except (ValueError, TypeError):
                    return ()
    return ()


def converted_from(architecture: str, endings: tuple[str, ...], known: Container[str]) -> str | None:
    """The architecture of `known` that the engine loads and converts where it is asked for `architecture`."""
    ending = next((ending for ending in endings if architecture.endswith(ending)), None)
    if ending is None:
        return None
    return next((base for other in endings if (base := architecture.replace(ending, other)) in known), None)
