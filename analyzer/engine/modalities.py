"""Reads which kinds of input a multimodal class takes besides text, from the keys of its processing information.

Facts of vLLM 0.11.2 to 0.33.0: `get_supported_mm_limits` returns `{"image": None, …}`, or is made of what another
method of the same class lists.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.source.syntax import every

if TYPE_CHECKING:
    from collections.abc import Iterable

KNOWN = frozenset({"image", "video", "audio"})
"""The modalities of `vllm/multimodal/inputs.py`."""
_LISTS = ("get_supported_mm_limits", "_get_supported_modalities")


def read_modalities(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """The modalities that the methods which list them name."""
    return frozenset(
        part.value
        for node in nodes
        for function in every(node, ast.FunctionDef)
        if function.name in _LISTS
        for part in every(function, ast.Constant)
        if part.value in KNOWN
    )
