"""Which release was the last to have what a tree removes now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from analyzer.errors import EnvironmentProblem, WrongUse, shown
from analyzer.versions import parse_version
from codemods.writing.git_state import version_tags

if TYPE_CHECKING:
    from analyzer.engine.engine_tree import EngineTree

REMEDY = "Say which release was the last to have the model: --last-version VERSION."


def given_version(text: str) -> str:
    """The version that `--last-version` names, as it is written. Raises `WrongUse` for what is none."""
    try:
        parse_version(text)
    except InvalidVersion as error:
        raise WrongUse(
            f"--last-version {shown(text)}: not a version", "Write it as in --last-version 0.24.0."
        ) from error
    return text


def refuse_later_version(engine: EngineTree, text: str) -> None:
    """Raise `WrongUse` for a version that `--last-version` names and that the tree cannot have behind it.

    A release is the last that has its models. A development version may lie behind a release of the next minor
    version: its branch is cut before the tree counts on.
    """
    own, given = engine.version, parse_version(text)
    if own is None:
        return
    if own.is_prerelease:
        last = max((own.major, own.minor + 1), (own.major + 1, 0) if given.minor == 0 else (0, 0))
        later = (given.major, given.minor) > last
    else:
        later = given > own
    if later:
        raise WrongUse(
            f"--last-version {shown(text)}: later than the tree's own version, {own}",
            "Name the last release that had the model, or leave it out.",
        )


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
        raise EnvironmentProblem(f"{engine.files.real_root} {what}, and no git tag names an earlier release", REMEDY)
    return max(earlier).public


def _release(tag: str) -> Version | None:
    try:
        version = parse_version(tag)
    except InvalidVersion:
        return None
    return None if version.is_prerelease else version
