"""Small source trees of a few made-up files, for the readers that look at classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.source.classes import ClassResolver, ClassSource
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path


def resolver_of(root: Path, files: dict[str, str]) -> ClassResolver:
    """A resolver over a tree with these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return ClassResolver(SourceTree(root))


def class_of(resolver: ClassResolver, file: str, name: str) -> ClassSource:
    """A class that must be there."""
    found = resolver.find_class(file, name)
    assert found is not None
    return found
