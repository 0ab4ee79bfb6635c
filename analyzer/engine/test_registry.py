"""Reads the engine's test registry: which checkpoints each architecture is tested with.

Facts of `tests/models/registry.py`, vLLM 0.11.2 to 0.33.0.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource
from analyzer.locations import Location, location_of
from analyzer.source.syntax import assigned_dictionaries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree

TEST_REGISTRY_FILE = "tests/models/registry.py"


@dataclass(frozen=True, slots=True)
class TestedArchitecture:
    """One entry of a dictionary of the test registry."""

    __test__ = False

    architecture: str
    dictionary: str
    checkpoints: tuple[str, ...]
    """The checkpoints of the architecture itself: not its tokenizers, and not the model a draft is used with."""
    location: Location
    end_line: int


def read_test_registry(tree: SourceTree) -> tuple[TestedArchitecture, ...]:
    """Every entry, in order. Raises `UnreadableSource` where the file is missing or does not parse."""
    return tuple(_entries(tree.parse(TEST_REGISTRY_FILE)))


def tested_architectures(tree: SourceTree) -> tuple[TestedArchitecture, ...]:
    """Every entry, in order; none where the tree has no test registry to be read, as an installed engine."""
    try:
        return read_test_registry(tree)
    except UnreadableSource:
        return ()


def checkpoints_of(entries: tuple[TestedArchitecture, ...], architecture: str) -> tuple[str, ...]:
    """The checkpoints of `architecture` in all dictionaries, each once."""
    return tuple(dict.fromkeys(c for e in entries if e.architecture == architecture for c in e.checkpoints))


def _entries(module: ast.Module) -> Iterator[TestedArchitecture]:
    for _, name, display in assigned_dictionaries(module):
        for key, value in zip(display.keys, display.values, strict=True):
            match key, value:
                case ast.Constant(value=str() as architecture), ast.Call(func=ast.Name(id="_HfExamplesInfo")):
                    yield TestedArchitecture(
                        architecture,
                        name,
                        _checkpoints(value),
                        location_of(key, TEST_REGISTRY_FILE),
                        value.end_lineno or value.lineno,
                    )


def _checkpoints(call: ast.Call) -> tuple[str, ...]:
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    # An entry with a speculative model names first the model that the draft is for, which is another architecture's.
    if (draft := named.get("speculative_model")) is not None:
        return tuple(_strings(draft))
    default = call.args[0] if call.args else named.get("default")
    extras = call.args[1] if len(call.args) > 1 else named.get("extras")
    return tuple(dict.fromkeys([*_strings(default), *_strings(extras)]))


def _strings(node: ast.expr | None) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.Dict(values=values):
            for value in values:
                yield from _strings(value)
