"""How the hand-written models of an engine and those on the backend moved from release to release."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion

from analyzer.engine.bespoke import module_entry_file
from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.registry import PREVIOUSLY_SUPPORTED, TRANSFORMERS_BACKEND, TRANSFORMERS_SUPPORTED
from analyzer.errors import RetireModelError, WrongUse, shown
from analyzer.versions import parse_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from packaging.version import Version

    from analyzer.engine.engine_tree import EngineTree
    from retire_model.sources.releases import ReleaseCache

_RANGE = re.compile(r"\s*vllm\s*==\s*(?P<first>[^\s,;]+?)\s*\.\.\s*(?P<last>[^\s,;]+)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Release:
    """One release of the engine."""

    version: str
    modules: int
    """Hand-written modules that the registry points at."""
    lines: int
    """Their lines."""
    architectures: int
    """Architectures that they serve."""
    on_backend: int
    """Architectures that the registry gives to the backend."""
    removed: int
    """Architectures that it says are gone."""


def parse_range(argument: str) -> SpecifierSet:
    """The versions that `vllm==FIRST..LAST` means. Raises `WrongUse` for anything else."""
    match = _RANGE.fullmatch(argument)
    try:
        first, last = (parse_version(match[end] if match else "") for end in ("first", "last"))
    except InvalidVersion as error:
        raise WrongUse(f"{shown(argument)}: no range of releases", "Write vllm==0.24.0..0.33.0.") from error
    if first > last:
        raise WrongUse(f"{shown(argument)}: the range ends before it begins", f"Write vllm=={last}..{first}.")
    return SpecifierSet(f">={first},<={last}")


def read_history(cache: ReleaseCache, wanted: SpecifierSet, tell: Callable[[Version], None]) -> tuple[Release, ...]:
    """Each final release in the range, lowest first; `tell` hears of it before it is brought.

    Raises the errors of fetching and reading.
    """
    found = []
    for version in cache.admitted("vllm", wanted):
        tell(version)
        found.append(_read(str(version), cache.engine(version)))
    return tuple(found)


def _read(version: str, root: Path) -> Release:
    engine = open_engine_tree(root)
    registry = engine.registry
    bespoke = registry.bespoke_entries()
    modules = {entry.module for entry in bespoke if entry.module is not None}
    backend = {e.architecture for e in registry.live_entries() if e.dictionary == TRANSFORMERS_SUPPORTED}
    generic = {e.architecture for e in registry.live_entries() if e.dictionary == TRANSFORMERS_BACKEND}
    gone = registry.dictionary(PREVIOUSLY_SUPPORTED)
    files = {file for module in modules for file in _files(engine, module)}
    return Release(
        version=version,
        modules=len(modules),
        lines=sum(engine.files.read(file).count(b"\n") for file in files),
        architectures=len({entry.architecture for entry in bespoke}),
        on_backend=len(backend - generic),
        removed=len(gone.entries) if gone is not None else 0,
    )


def _files(engine: EngineTree, module: str) -> Iterator[str]:
    try:
        file = module_entry_file(engine, module)
    except RetireModelError:
        return
    if file.endswith("/__init__.py"):
        yield from engine.files.walk(file.removesuffix("/__init__.py"), frozenset({".py"}))
    else:
        yield file
