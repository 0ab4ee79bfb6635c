"""Reads what an attention module hands to the attention interface, and which configuration fields are behind it.

Facts of Transformers 4.57 to 5.24: `attention_interface(self, query, key, value, attention_mask, dropout=…,
scaling=…, sliding_window=self.sliding_window, softcap=…, s_aux=self.sinks, **kwargs)`.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.release.field_sources import ValueSource, value_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.classes import ClassResolver, ClassSource, Method

MASK = "attention_mask"
MASK_POSITION = 4
"""Behind the module, query, key and value."""


@dataclass(frozen=True, slots=True)
class AttentionArgument:
    """One argument of the call that dispatches."""

    name: str
    value: ValueSource
    location: Location


def read_arguments(
    resolver: ClassResolver, source: ClassSource, forward: Method, call: ast.Call
) -> Iterator[AttentionArgument]:
    """The mask and the keywords of `call`, without those that are a literal None."""
    given = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if len(call.args) > MASK_POSITION:
        given[MASK] = call.args[MASK_POSITION]
    constructors = tuple(
        statement
        for member in resolver.linearization(source)
        for statement in member.node.body
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__"
    )
    for name, value in given.items():
        if not (isinstance(value, ast.Constant) and value.value is None):
            place = location_of(call, forward.owner.file)
            yield AttentionArgument(name, value_source(value, forward.node, constructors), place)
