"""The engine's Pythons, each of which brings one Transformers release."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion

from analyzer.errors import EnvironmentProblem, WrongUse, shown
from analyzer.versions import parse_version
from retire_model.smoke.engine_python import EnginePython, ask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packaging.version import Version


def chosen_pythons(programs: Sequence[str], releases: Sequence[str]) -> list[EnginePython]:
    """The Python of each of `releases`; without any, all of `programs`, or the one that runs this.

    Raises `WrongUse` where two have the same release, `EnvironmentProblem` where a release is asked for that none has.
    """
    by_release: dict[Version | None, EnginePython] = {}
    for python in map(ask, dict.fromkeys(programs or (sys.executable,))):
        known = by_release.setdefault(python.transformers.version, python)
        if known is not python:
            raise WrongUse(
                f"{known.program} and {python.program} both have Transformers {release_of(python)}",
                "Name one --engine-python for each release.",
            )
    wanted = dict.fromkeys(map(_parsed, releases))
    return [_having(release, by_release) for release in wanted] or list(by_release.values())


def release_of(python: EnginePython) -> str:
    """Its Transformers."""
    return str(python.transformers.version)


def _parsed(release: str) -> Version:
    try:
        return parse_version(release)
    except InvalidVersion as error:
        raise WrongUse(f"--transformers {shown(release)} is no version", "Write one such as 5.19.0.") from error


def _having(release: Version, by_release: Mapping[Version | None, EnginePython]) -> EnginePython:
    if release not in by_release:
        there = ", ".join(f"{release_of(python)} in {python.program}" for python in by_release.values())
        raise EnvironmentProblem(
            f"no engine's Python has Transformers {release}: there is {there}",
            "Name one that has with --engine-python PATH, once for each release.",
        )
    return by_release[release]
