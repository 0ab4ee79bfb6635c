"""The modules and architectures that are looked for, taken apart once for all files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.uses.reference import dotted_module

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for."""

    paths: dict[str, str]
    """Full names of modules, each with what the registry calls it."""
    packages: frozenset[str]
    """What holds the modules."""
    roots: tuple[bytes, ...]
    """How the full names begin, up to the second dot."""
    steps: dict[str, frozenset[str]]
    """For each package on the way to one those on the way that it holds."""
    renamed_package: re.Pattern[bytes]
    """A statement that imports what is on the way to one under another name."""
    ends_at_package: re.Pattern[bytes]
    """The path of what holds a module where a string ends behind it, or goes on with what is filled in."""
    on_the_way: dict[str, tuple[str, ...]]
    """For each dotted path that was asked for the modules that it is or leads into: most are asked for many times."""
    architectures: tuple[tuple[str, bytes], ...]

    @classmethod
    def of(cls, modules: Iterable[str], architectures: Iterable[str]) -> Wanted:
        """The modules as the registry writes them."""
        paths = {dotted_module(module): module for module in modules}
        packages = frozenset(path.rpartition(".")[0] for path in paths)
        roots = sorted({".".join(path.split(".")[:2]).encode() for path in paths})
        above = {path[:place] for path in paths for place in range(len(path)) if path[place] == "."}
        pairs = [(parent, child) for parent, _, child in (path.rpartition(".") for path in above) if parent]
        steps = {parent: frozenset(c for p, c in pairs if p == parent) for parent, _ in pairs}
        children = b"|".join(re.escape(f"{p}.{c}".encode()) for p, c in sorted(set(pairs)))
        renamed = re.compile(rb"import (?:" + children + rb") as")
        held = b"|".join(re.escape(package.encode()) for package in sorted(packages, reverse=True))
        ends = re.compile(rb"(?:" + held + rb")\.?[\"'{%]")
        named = tuple((name, name.encode()) for name in architectures)
        return cls(paths, packages, tuple(roots), steps, renamed, ends, {}, named)

    def at(self, path: str) -> tuple[str, ...]:
        """The wanted modules that `path` is or leads into."""
        known = self.on_the_way.get(path)
        if known is None:
            parts = path.split(".")
            above = (".".join(parts[: length + 1]) for length in range(1, len(parts)))
            known = self.on_the_way[path] = tuple(name for name in above if name in self.paths)
        return known
