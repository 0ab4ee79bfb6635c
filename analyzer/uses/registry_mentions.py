"""Finds where the registry's code names a module, in an entry or anywhere else. Comments do not count."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.locations import Location, location_of
from analyzer.source.constant_text import UNKNOWN, bound_texts, spelled_texts
from analyzer.uses.reference import dotted_module

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator

PART = rf"[\w.{UNKNOWN}]*"


@dataclass(frozen=True, slots=True, order=True)
class RegistryMention:
    """One text of the registry that is a path to a module."""

    location: Location
    module: str


def registry_mentions(registry: ast.Module, modules: Iterable[str]) -> Iterator[RegistryMention]:
    """Every text that the registry spells and that names one of `modules`: alone, at the end of a path, or of more.

    What is not known of a text is taken to be the rest of the path.
    """
    paths = {module: _path(module) for module in modules}
    for node, text in spelled_texts(registry, bound_texts(registry)) if paths else ():
        for module, path in paths.items():
            if path.fullmatch(text):
                yield RegistryMention(location_of(node, REGISTRY_FILE), module)


def _path(module: str) -> re.Pattern[str]:
    names = "|".join(map(re.escape, (module, dotted_module(module))))
    return re.compile(rf"(?:{PART}[.{UNKNOWN}])?(?:{names})(?:[.:{UNKNOWN}]{PART})?")
