"""Reads what a Transformers release does with a checkpoint's weights before they reach the model's parameters.

Facts of Transformers 5.0 to 5.24: `conversion_mapping.py` holds, for a model type or a class, the renamings
(`WeightRenaming`) and the conversions (`WeightConverter`) of its checkpoints. Older releases have no such file.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource
from analyzer.locations import Location, location_of
from analyzer.source.classes import dotted_name, end_of_dotted_name
from analyzer.source.syntax import kept_with, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.hugging_face import HuggingFaceClasses, HuggingFaceSource

MAPPING_FILE = "transformers/conversion_mapping.py"
_ALIASES = "_MODEL_TO_CONVERSION_PATTERN"
_CONVERTER = "WeightConverter"
_FOR_ALL = "legacy"
"""What is renamed in every model's checkpoints."""
_IGNORED = "_keys_to_ignore_on_load_unexpected"
_TIED = "_tied_weights_keys"


@dataclass(frozen=True, slots=True)
class WeightConversion:
    """Weights whose values are split, joined, transposed or permuted on their way in."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    operations: tuple[str, ...]
    name: str
    """The model type or class that the mapping has it for."""
    location: Location


@dataclass(frozen=True, slots=True)
class CheckpointWeights:
    """The weights of an architecture's checkpoints."""

    conversions: tuple[WeightConversion, ...]
    words: frozenset[str]
    """Every word in the renamings and conversions: names that checkpoints may use."""
    ignored: tuple[str, ...]
    """Patterns of `_keys_to_ignore_on_load_unexpected`."""
    tied: bool
    """Whether the head class declares `_tied_weights_keys`."""


def read_checkpoint_weights(source: HuggingFaceSource, classes: HuggingFaceClasses) -> CheckpointWeights:
    """Read what the release declares for the classes of an architecture."""
    configurations = (classes.configuration, classes.text_configuration)
    names = [source.model_type(c) for c in configurations if c is not None]
    names += [classes.head.name, classes.base.name, _FOR_ALL]
    entries = _mapping_entries(source, {name for name in names if name})
    parts = [part for _, entry in entries for part in walk(entry)]
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    ignored = [source.resolver.attribute(c, _IGNORED) for c in (classes.base, classes.head)]
    tied = source.resolver.attribute(classes.head, _TIED)
    return CheckpointWeights(
        conversions=tuple(conversion for name, entry in entries for conversion in _conversions(name, entry)),
        words=frozenset(word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)),
        ignored=tuple(text for found in ignored if found for text in _texts(found.value)),
        tied=tied is not None and not isinstance(tied.value, ast.Constant),
    )


def _mapping_entries(source: HuggingFaceSource, names: set[str]) -> list[tuple[str, ast.expr]]:
    """Each of the names that the mapping knows, by itself or as another's alias, with what stands there."""
    try:
        tree = source.files.parse(MAPPING_FILE) if source.files.exists(MAPPING_FILE) else ast.Module([], [])
    except UnreadableSource:
        return []
    aliases = _aliases(tree)
    wanted = {name: name for name in sorted(names)} | {aliases[name]: name for name in sorted(names) if name in aliases}
    entries = kept_with(tree, "conversions", lambda: tuple(_entries(tree)))
    return [(wanted[key], entry) for key, entry in entries if key in wanted]


def _aliases(tree: ast.Module) -> dict[str, str]:
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys, values=values)) if name == _ALIASES:
                return {
                    str(key.value): str(value.value)
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Constant)
                }
    return {}


def _entries(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """What stands in the dictionary display, or is assigned to one of its keys afterwards."""
    for function in tree.body:
        for node in walk(function) if isinstance(function, ast.FunctionDef) else ():
            match node:
                case ast.Dict(keys=keys, values=values):
                    for key, value in zip(keys, values, strict=True):
                        if isinstance(key, ast.Constant) and isinstance(key.value, str):
                            yield key.value, value
                case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str() as name))], value=value):
                    yield name, value


def _conversions(name: str, entry: ast.expr) -> Iterator[WeightConversion]:
    for node in walk(entry):
        if isinstance(node, ast.Call) and dotted_name(node.func) == _CONVERTER:
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            operations = given.get("operations")
            yield WeightConversion(
                sources=_texts(given.get("source_patterns", node.args[0] if node.args else None)),
                targets=_texts(given.get("target_patterns", node.args[1] if len(node.args) > 1 else None)),
                operations=tuple(
                    end_of_dotted_name(part.func)
                    for part in (operations.elts if isinstance(operations, ast.List) else ())
                    if isinstance(part, ast.Call)
                ),
                name=name,
                location=location_of(node, MAPPING_FILE),
            )


def _texts(value: ast.expr | None) -> tuple[str, ...]:
    parts = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    return tuple(part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str))
