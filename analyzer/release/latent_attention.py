"""Reads what attention over a latent needs: a model that expands it, and an engine that knows the model's type.

Facts of vLLM 0.26 to 0.33: the backend hands the unexpanded latent to the engine's own layer where a model expands it
in a method of its own (`fusers/mla.py`). How large one cached head then is, `is_deepseek_mla` decides by a list of
model types (`vllm/transformers_utils/model_arch_config_convertor.py`); for others it is the size of a query head.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.release.model_modules import constructors
from analyzer.source.syntax import every, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.model_modules import ModelModules
    from analyzer.source.classes import ClassResolver, ClassSource
    from analyzer.source.source_tree import SourceTree

RANK = "kv_lora_rank"
"""The configuration field by which the backend tells attention over a latent."""
_CONVERTER = "vllm/transformers_utils/model_arch_config_convertor.py"
_DECIDES = "is_deepseek_mla"


@dataclass(frozen=True, slots=True)
class LatentModelTypes:
    """The model types whose cached heads the engine gives the latent's size."""

    names: frozenset[str]
    location: Location


def read_latent_model_types(tree: SourceTree) -> LatentModelTypes | None:
    """The engine's list; None where it has none. Raises `UnreadableSource`."""
    if not tree.exists(_CONVERTER) or _DECIDES.encode() not in tree.read(_CONVERTER):
        return None
    for node in walk(tree.parse(_CONVERTER)):
        if isinstance(node, ast.FunctionDef) and node.name == _DECIDES:
            names = frozenset(name for part in walk(node) for name in _compared(part))
            if names:
                return LatentModelTypes(names, location_of(node, _CONVERTER))
    return None


def _compared(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Compare(ops=[ast.In()], comparators=[ast.Tuple(elts=parts) | ast.List(elts=parts)]):
            yield from (p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str))


def read_latent_expansion(resolver: ClassResolver, modules: ModelModules) -> Location | None:
    """The method by which a module expands the latent: of the latent and the rotated key it makes a pair."""
    for source in modules.classes:
        for linear in _expanding_linears(resolver, source):
            for method in resolver.methods(source):
                if len(method.node.args.args) == 3 and _returns_pairs(method.node) and _uses(method.node, linear):
                    return location_of(method.node, method.owner.file)
    return None


def _expanding_linears(resolver: ClassResolver, source: ClassSource) -> Iterator[str]:
    """The attributes that hold a linear whose input is the latent."""
    for method in constructors(resolver, source):
        for node in every(method.node, ast.Assign):
            match node:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                    value=ast.Call(args=[ast.Attribute(attr=rank), *_]),
                ) if rank == RANK:
                    yield name


def _returns_pairs(function: ast.FunctionDef) -> bool:
    returns = [node.value for node in every(function, ast.Return)]
    return bool(returns) and all(isinstance(value, ast.Tuple) and len(value.elts) == 2 for value in returns)


def _uses(function: ast.FunctionDef, attribute: str) -> bool:
    return any(node.attr == attribute for node in every(function, ast.Attribute))
