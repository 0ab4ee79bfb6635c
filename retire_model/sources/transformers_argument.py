"""What `--transformers` means: the Transformers source that models are judged against."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion

from analyzer.engine.requirements import DeclaredRange, read_declared_range
from analyzer.errors import EnvironmentProblem, UnreadableSource, WrongUse, shown
from analyzer.versions import parse_version
from retire_model.sources.transformers_folder import installed_root, package_version, root_of
from retire_model.user_paths import user_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from packaging.version import Version

    from analyzer.source.source_tree import SourceTree
    from retire_model.sources.releases import ReleaseCache


@dataclass(frozen=True, slots=True)
class TransformersSource:
    """A folder `root` that holds the package `transformers`, with a `label` for people: mostly a version."""

    label: str
    root: Path
    origin: str
    """Why this one: for the report."""


def transformers_sources(arguments: Sequence[str], engine: SourceTree, cache: ReleaseCache) -> list[TransformersSource]:
    """One source for each value of `--transformers`, in order, none twice; without a value, the default.

    A value is a version, `floor` or `newest` (the ends of the range that the engine declares), or a path.
    The default is the installed release where the engine's range admits it, else the floor.
    Raises `WrongUse` for a value that is none of these, `EnvironmentProblem` and `UnreadableSource` where
    the range or the release cannot be had.
    """
    if not arguments:
        return [_default(engine, cache)]
    found = {source.root.resolve(): source for source in (_named(a, engine, cache) for a in arguments)}
    return list(found.values())


def not_admitted(sources: Sequence[TransformersSource], engine: SourceTree) -> str:
    """In words which of `sources` are outside the range that the engine declares; empty where none is known to be."""
    try:
        declared = read_declared_range(engine, "transformers")
    except (EnvironmentProblem, UnreadableSource):
        return ""
    outside = [source.label for source in sources if not _is_admitted(source.label, declared)]
    if not outside:
        return ""
    return f"Transformers {', '.join(outside)}: outside {declared.specifier}, which {declared.location} asks for"


def _is_admitted(label: str, declared: DeclaredRange) -> bool:
    try:
        return declared.specifier.contains(parse_version(label), prereleases=True)
    except InvalidVersion:
        return True  # A checkout that does not say what it is.


def _named(argument: str, engine: SourceTree, cache: ReleaseCache) -> TransformersSource:
    if argument == "floor":
        return _floor(read_declared_range(engine, "transformers"), cache)
    if argument == "newest":
        declared = read_declared_range(engine, "transformers")
        version = cache.newest("transformers", declared.specifier)
        return _release(version, cache, f"the newest release in the range of {declared.location}")
    try:
        version = parse_version(argument)
    except InvalidVersion:
        return _folder(argument)
    return _release(version, cache, "asked for")


def _default(engine: SourceTree, cache: ReleaseCache) -> TransformersSource:
    declared = read_declared_range(engine, "transformers")
    installed = _installed(declared)
    return _floor(declared, cache) if installed is None else installed


def _installed(declared: DeclaredRange) -> TransformersSource | None:
    """The release in this Python's environment, found by its metadata: nothing of it is imported."""
    import importlib.metadata

    try:
        distribution = importlib.metadata.distribution("transformers")
        version = parse_version(distribution.version)
    except (importlib.metadata.PackageNotFoundError, InvalidVersion, TypeError):
        return None
    root = installed_root(distribution)
    if root is None or not declared.specifier.contains(version, prereleases=True):
        return None
    return TransformersSource(str(version), root, f"installed, and in the range of {declared.location}")


def _floor(declared: DeclaredRange, cache: ReleaseCache) -> TransformersSource:
    version = cache.lowest("transformers", declared.specifier)
    return _release(version, cache, f"the lowest release in the range of {declared.location}")


def _release(version: Version, cache: ReleaseCache, origin: str) -> TransformersSource:
    return TransformersSource(str(version), cache.transformers(version), origin)


def _folder(argument: str) -> TransformersSource:
    path = user_path(argument)
    root = root_of(path)
    if root is None:
        there = os.path.exists(path)  # noqa: PTH110 - unlike Path.exists, false for what cannot be asked
        problem = "holds no package transformers" if there else "is neither a version nor a folder"
        raise WrongUse(
            f"--transformers {shown(argument)} {problem}",
            "Name a version, `floor`, `newest`, or a folder: a checkout, an unpacked release, site-packages.",
        )
    try:
        label = package_version(root)
    except UnreadableSource:
        label = None
    return TransformersSource(label or str(path), root, f"the folder {path}")
