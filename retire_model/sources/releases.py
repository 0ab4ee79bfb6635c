"""Released sources by version: unpacked into a cache, never built, installed or imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, WrongUse
from retire_model.sources.cache_layout import CacheLayout
from retire_model.sources.known_versions import is_fresh, read_known_versions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

    from retire_model.sources.package_index import Progress

# `release_fetching` is imported when something is fetched: unearth and its network library are slow to load.


@dataclass(frozen=True, slots=True)
class ReleaseCache:
    """Releases of `vllm` and `transformers`, brought from the package index when they are first asked for.

    The folders handed out are shared by all runs: they are read; what is edited is a working copy.
    Every method raises `EnvironmentProblem` where the cache cannot be written, or where what it lacks
    cannot be had from the package index.
    """

    folder: Path
    progress: Progress | None = None

    def engine(self, version: Version) -> Path:
        """The unpacked source distribution of `vllm==version`. Raises `WrongUse` for an unknown version."""
        return self._release("vllm", version)

    def transformers(self, version: Version) -> Path:
        """The folder that holds the package `transformers`, from the wheel of `version`.

        Raises `WrongUse` for an unknown version.
        """
        return self._release("transformers", version)

    def lowest(self, name: str, specifier: SpecifierSet) -> Version:
        """The lowest final release of `name` that `specifier` admits. Raises `WrongUse` where there is none.

        The index is asked once: releases to come do not change the answer.
        """
        known = read_known_versions(self._layout.known_versions(name))
        return min(_admitted(known, specifier) or self._ask(name, specifier))

    def newest(self, name: str, specifier: SpecifierSet) -> Version:
        """The newest final release of `name` that `specifier` admits. Raises `WrongUse` where there is none."""
        return self.admitted(name, specifier)[-1]

    def admitted(self, name: str, specifier: SpecifierSet) -> list[Version]:
        """The final releases of `name` that `specifier` admits, lowest first; at least one, else `WrongUse`.

        The index is asked once a day; what it said last counts where it does not answer.
        """
        file = self._layout.known_versions(name)
        known = _admitted(read_known_versions(file), specifier)
        if known and is_fresh(file):
            return sorted(known)
        try:
            return sorted(self._ask(name, specifier))
        except EnvironmentProblem:
            if not known:
                raise
            return sorted(known)

    def cached_versions(self, name: str) -> list[Version]:
        """The versions of `name` that can be had without the index, lowest first."""
        return self._layout.cached_versions(name)

    @property
    def _layout(self) -> CacheLayout:
        return CacheLayout(self.folder)

    def _release(self, name: str, version: Version) -> Path:
        cached = self._layout.intact(name, version)
        if cached is not None:
            return cached
        from retire_model.sources.release_fetching import fetch_release

        return fetch_release(self._layout, name, version, self.progress)

    def _ask(self, name: str, specifier: SpecifierSet) -> list[Version]:
        from retire_model.sources.release_fetching import ask_versions

        admitted = _admitted(ask_versions(self._layout, name), specifier)
        if not admitted:
            raise WrongUse(
                f"the package index has no {name} release in the range {str(specifier)!r}",
                "Name a version or a folder.",
            )
        return admitted


def _admitted(versions: Iterable[Version], specifier: SpecifierSet) -> list[Version]:
    final = [version for version in versions if not version.is_prerelease]
    return list(specifier.filter(final, prereleases=False))
