"""Which release was the last to have what a tree removes now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from analyzer.errors import EnvironmentProblem, WrongUse
from codemods.git_state import version_tags

if TYPE_CHECKING:
    from analyzer.engine_tree import EngineTree

REMEDY = "Say which release was the last to have the model: --last-version VERSION."


def given_version(text: str) -> str:
    """The version that `--last-version` names, as it is written. Raises `WrongUse` for what is none."""
    try:
        Version(text)
    except InvalidVersion as error:
        raise WrongUse(f"--last-version {text}: not a version", "Write it as in --last-version 0.24.0.") from error
    return text


def last_version(engine: EngineTree) -> str:
    """The last release before the tree's own state, which is the tree's version where that is a release.

    A development version tells of the next release: `0.24.1.dev5` is five commits behind 0.24.0. Where that cannot be
    counted back (`0.25.0.dev3`), or the tree has no version, the highest release among git's tags is meant. Raises
    `EnvironmentProblem` where nothing tells.
    """
    version = engine.version
    if version is not None and not version.is_prerelease:
        return version.public
    if version is not None and version.micro > 0:
        return f"{version.major}.{version.minor}.{version.micro - 1}"
    releases = [tag for tag in map(_release, version_tags(engine.root)) if tag is not None]
    earlier = [release for release in releases if version is None or release < version]
    if not earlier:
        what = f"is at {version}, a development version" if version is not None else "does not say its version"
        raise EnvironmentProblem(f"{engine.root} {what}, and no git tag names an earlier release", REMEDY)
    return max(earlier).public


def _release(tag: str) -> Version | None:
    try:
        version = Version(tag)
    except InvalidVersion:
        return None
    return None if version.is_prerelease else version
