"""The releases that can be had without the package index: for a commit hook, which must not reach for the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem
from retire_model.sources.releases import ReleaseCache

if TYPE_CHECKING:
    from pathlib import Path

    from packaging.specifiers import SpecifierSet
    from packaging.version import Version


class LocalReleases(ReleaseCache):
    """A cache that is never added to. Every method raises `EnvironmentProblem` for what it does not hold."""

    def admitted(self, name: str, specifier: SpecifierSet) -> list[Version]:
        """The releases of `name` in the cache that `specifier` admits, lowest first; at least one."""
        found = [version for version in self.cached_versions(name) if specifier.contains(version)]
        if not found:
            raise EnvironmentProblem(
                f"no {name} in the range {str(specifier)!r} is installed or in the cache", REMEDY.format(name)
            )
        return found

    def lowest(self, name: str, specifier: SpecifierSet) -> Version:
        """The lowest of them."""
        return self.admitted(name, specifier)[0]

    def _release(self, name: str, version: Version) -> Path:
        cached = self._layout.intact(name, version)
        if cached is None:
            raise EnvironmentProblem(f"{name} {version} is not in the cache", REMEDY.format(name))
        return cached


REMEDY = "Any `retire-model check` brings a {} release into the cache; here nothing is fetched."
