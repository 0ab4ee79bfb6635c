"""Finds the names that a file uses and binds nowhere: an edit may not add one."""

from __future__ import annotations

import builtins
import symtable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GIVEN = frozenset(dir(builtins)) | {"__file__", "__path__"}
"""What every module has."""


def unresolved_names(text: str) -> frozenset[str]:
    """The names that are looked up in the module, and are not there. Raises `SyntaxError` for what does not compile."""
    top = symtable.symtable(text, "it", "exec")
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    tables = list(_all(top))
    bound |= {s.get_name() for t in tables for s in t.get_symbols() if s.is_declared_global() and s.is_assigned()}
    used = {s.get_name() for t in tables for s in t.get_symbols() if s.is_referenced() and (s.is_global() or t is top)}
    return frozenset(used - bound - GIVEN)


def _all(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _all(child)
