"""Reads which layers the backend replaces, how it shards them, what it fuses, and what it compiles."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.engine.backend_functions import every_in
from analyzer.locations import Location, location_of
from analyzer.source.classes import dotted_name, end_of_dotted_name
from analyzer.source.syntax import every

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from analyzer.engine.backend_functions import Functions
    from analyzer.source.classes import ClassResolver

_REPLACES = "recursive_replace"


def read_replaced_layers(functions: Functions) -> Iterator[tuple[str, Location]]:
    """The classes asked for by the test that stands before each replacement, each once."""
    replacing = {file: tuple(f for f in found if f.name.endswith(_REPLACES)) for file, found in functions.items()}
    seen: set[str] = set()
    for file, branch in every_in(replacing, ast.If):
        for name, place in _tested_classes(branch.test):
            if name not in seen:
                seen.add(name)
                yield name, location_of(place, file)


def _tested_classes(test: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    match test:
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id="child_module"), wanted]):
            for part in wanted.elts if isinstance(wanted, ast.Tuple) else (wanted,):
                if name := dotted_name(part):
                    yield name, part
        case ast.Call(func=ast.Attribute(attr="endswith"), args=[ast.Constant(value=str() as ending)]):
            yield f"*{ending}", test


def read_parallel_styles(resolver: ClassResolver, trees: Mapping[str, ast.Module]) -> tuple[str, ...]:
    """The names in the `Style` literal that types the replacement of linear layers."""
    for file in trees:
        style = resolver.symbols(file).get("Style")
        if isinstance(style, ast.Subscript):
            return tuple(n.value for n in every(style, ast.Constant) if isinstance(n.value, str))
    return ()


def read_fusers(trees: Mapping[str, ast.Module]) -> tuple[str, ...]:
    """The longest tuple of classes called `…Fuser`: the one that is gone through for each module."""
    found: tuple[str, ...] = ()
    for node in (node for tree in trees.values() for node in every(tree, ast.Tuple)):
        names = tuple(part.id for part in node.elts if isinstance(part, ast.Name) and part.id.endswith("Fuser"))
        found = names if len(names) == len(node.elts) and len(names) > len(found) else found
    return found


def read_compile_location(functions: Functions) -> Location | None:
    """Where it decorates the decoder for `torch.compile`."""
    calls = every_in(functions, ast.Call)
    return next(
        (location_of(c, file) for file, c in calls if end_of_dotted_name(c.func) == "support_torch_compile"), None
    )
