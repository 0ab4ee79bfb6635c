"""Reads what the backend hands to the Hugging Face model, and which configuration fields it cannot do without."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.backend_functions import every_in
from analyzer.locations import Location, location_of
from analyzer.release.forward_signature import POSITIONS
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.backend_functions import Functions


@dataclass(frozen=True, slots=True)
class RequiredField:
    """A configuration field that the backend cannot do without, under any of these names."""

    names: tuple[str, ...]
    for_experts: bool
    """Asked for where it replaces experts only."""
    location: Location


def read_forward_arguments(functions: Functions) -> tuple[tuple[str, ...], Location | None]:
    """The names of the call `self.model(input_ids=…, position_ids=…, …)` that hand over what the engine computed."""
    for file, node in every_in(functions, ast.Call):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr="model"), keywords=keywords):
                names = tuple(k.arg for k in keywords if k.arg is not None and not isinstance(k.value, ast.Constant))
                if POSITIONS in names:
                    return names, location_of(node, file)
    return (), None


def read_required_fields(functions: Functions) -> Iterator[RequiredField]:
    """What is read as `x = getattr_iter(text_config, [names], None)` and then asserted not to be None."""
    for file, found in functions.items():
        for function in found:
            read: dict[str, tuple[str, ...]] = {}
            for node in walk(function):
                match node:
                    case ast.Assign(
                        targets=[ast.Name(id=name)],
                        value=ast.Call(
                            func=ast.Name(id="getattr_iter"), args=[_, ast.List(elts=parts), ast.Constant(value=None)]
                        ),
                    ):
                        names = (p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str))
                        read[name] = tuple(names)
                    case ast.Assert(test=ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()])) if name in read:
                        yield RequiredField(read[name], file.endswith("/moe.py"), location_of(node, file))
