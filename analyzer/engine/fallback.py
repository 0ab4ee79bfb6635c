"""Whether the engine serves an architecture that its registry does not name, by the backend, with a warning in the log.

Facts of `_try_resolve_transformers` in `vllm/model_executor/models/registry.py`, vLLM 0.11.2 to 0.33.0: an unknown
architecture that Transformers has is served by the backend if the class passes a gate, before anything looks at what
was supported once. Which methods of the class the gate asks changes with the release, so it is read.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from analyzer.engine.engine_tree import EngineTree
    from analyzer.release.hugging_face import HuggingFaceClasses, HuggingFaceSource

FALLBACK = "_try_resolve_transformers"
DECLARES = "is_backend_compatible"
SEARCHES = "_can_set_attn_implementation"
MODELING_UTILITIES = "transformers/modeling_utils.py"
ATTENTION_CLASS = re.compile(r"^class \w*Attention\w*\(nn\.Module\):", re.MULTILINE)


def served_by_fallback(engine: EngineTree, source: HuggingFaceSource, architecture: str) -> bool:
    """Whether `architecture`, once out of the live registry, is still served with this Transformers release."""
    gate = _gate(engine)
    classes = source.find(architecture)
    if classes is None or not gate:
        return False
    return (DECLARES in gate and _declares(source, classes)) or (SEARCHES in gate and _is_admitted(source, classes))


def _gate(engine: EngineTree) -> frozenset[str]:
    """The methods of the Hugging Face class that admit it; none where the tree has no such fallback."""
    for node in walk(engine.files.parse(REGISTRY_FILE)):
        if isinstance(node, ast.FunctionDef) and node.name == FALLBACK:
            called = {c.func.attr for c in walk(node) if isinstance(c, ast.Call) if isinstance(c.func, ast.Attribute)}
            return frozenset(called & {DECLARES, SEARCHES})
    return frozenset()


def _declares(source: HuggingFaceSource, classes: HuggingFaceClasses) -> bool:
    attribute = source.resolver.attribute(classes.head, "_supports_attention_backend")
    return attribute is not None and isinstance(attribute.value, ast.Constant) and attribute.value.value is True


def _is_admitted(source: HuggingFaceSource, classes: HuggingFaceClasses) -> bool:
    """The text search of Transformers itself, for the strings that this release looks for."""
    code = source.files.text(classes.head.file)
    if ATTENTION_CLASS.search(code) is None:
        return True
    wanted = _searched_strings(source)
    return bool(wanted) and all(text in code for text in wanted)


def _searched_strings(source: HuggingFaceSource) -> tuple[str, ...]:
    """The constants of `"…" in code` in the search that Transformers does."""
    if not source.files.exists(MODELING_UTILITIES):
        return ()
    for node in walk(source.files.parse(MODELING_UTILITIES)):
        if isinstance(node, ast.FunctionDef) and node.name == SEARCHES:
            return tuple(_contained(node))
    return ()


def _contained(function: ast.FunctionDef) -> list[str]:
    found = list[str]()
    for node in walk(function):
        match node:
            case ast.Compare(left=ast.Constant(value=str() as text), ops=[ast.In()]):
                found.append(text)
    return found
