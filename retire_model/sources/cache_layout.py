"""Where things lie in the cache, and what lies there."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from analyzer.errors import EnvironmentProblem
from analyzer.versions import parse_version
from retire_model.sources.manifests import read_manifest
from retire_model.user_paths import user_path


def cache_folder() -> Path:
    """`$RETIRE_MODEL_CACHE`, else `retire-model` in the user's cache folder. Raises `EnvironmentProblem`."""
    chosen = os.environ.get("RETIRE_MODEL_CACHE")
    if chosen:
        return user_path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(caches) if caches.startswith("/") else Path.home() / ".cache") / "retire-model"
    except RuntimeError as error:
        raise EnvironmentProblem("there is no home folder for the cache", "Set RETIRE_MODEL_CACHE.") from error


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """The places below `folder`. A release is the folder of its manifest, with the unpacked files beside it."""

    folder: Path

    def release(self, name: str, version: Version) -> Path:
        """The folder of one release: its manifest and its files."""
        return self.folder / "releases" / f"{name}-{version}"

    def lock(self, name: str, version: Version) -> Path:
        """Held by the process that brings that release."""
        return self.folder / "locks" / f"{name}-{version}"

    def partial(self, name: str, version: Version) -> Path:
        """The holder of the lock works here; what an earlier one left is worthless."""
        return self.folder / "partial" / f"{name}-{version}"

    @property
    def surveys(self) -> Path:
        """What surveys found, under names made of what they read."""
        return self.folder / "surveys"

    @property
    def journal_key(self) -> Path:
        """The secret of this user, one of those who share the cache, that journals of edited trees are marked with."""
        return self.folder / f"journal-{os.geteuid()}.key"

    def last_change(self, root: Path) -> Path:
        """What the last change set that was written to the tree `root` was."""
        return self.folder / "changes" / f"{hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()}.json"

    def known_versions(self, name: str) -> Path:
        """The versions that the index listed when it was last asked."""
        return self.folder / "versions" / f"{name}.json"

    def cached_versions(self, name: str) -> list[Version]:
        """The versions of `name` that lie here, lowest first."""
        versions = []
        for place in (self.folder / "releases").glob(f"{name}-*"):
            try:
                version = parse_version(place.name.removeprefix(f"{name}-"))
            except InvalidVersion:
                continue
            if manifest_in(place).is_file():
                versions.append(version)
        return sorted(versions)

    def intact(self, name: str, version: Version) -> Path | None:
        """The files of that release. None where there are none, or not those that were unpacked."""
        for cached in self.cached_versions(name):
            if cached == version:  # 0.24 and 0.24.0 are one version
                place = self.release(name, cached)
                manifest = read_manifest(manifest_in(place))
                if manifest is not None and manifest.describes(files_in(place), manifest_in(place).stat().st_mtime_ns):
                    return files_in(place)
        return None


def manifest_in(release: Path) -> Path:
    """The manifest of a release's folder."""
    return release / "release.json"


def files_in(release: Path) -> Path:
    """The unpacked files of a release's folder."""
    return release / "source"
