"""The engine's Pythons, each of which brings one Transformers release."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion

from analyzer.errors import EnvironmentProblem, WrongUse
from analyzer.versions import parse_version
from retire_model.smoke.engine_python import EnginePython, ask

if TYPE_CHECKING:
    from collections.abc import Sequence


def chosen_pythons(programs: Sequence[str], releases: Sequence[str]) -> list[EnginePython]:
    """The Python of each of `releases`; without any, all of `programs`, or the one that runs this.

    Raises `WrongUse` where two have the same release, `EnvironmentProblem` where a release is asked for that none has.
    """
    by_release: dict[str, EnginePython] = {}
    for python in map(ask, dict.fromkeys(programs or (sys.executable,))):
        known = by_release.setdefault(release_of(python), python)
        if known is not python:
            raise WrongUse(
                f"{known.program} and {python.program} both have Transformers {release_of(python)}",
                "Name one --engine-python for each release.",
            )
    return [_having(release, by_release) for release in dict.fromkeys(releases)] or list(by_release.values())


def release_of(python: EnginePython) -> str:
    """Its Transformers."""
    return str(python.transformers.version)


def _having(release: str, by_release: dict[str, EnginePython]) -> EnginePython:
    try:
        asked = str(parse_version(release))
    except InvalidVersion as error:
        raise WrongUse(f"--transformers {release} is no version", "Write one such as 5.19.0.") from error
    if asked not in by_release:
        there = ", ".join(f"{release} in {python.program}" for release, python in by_release.items())
        raise EnvironmentProblem(
            f"no engine's Python has Transformers {asked}: there is {there}",
            "Name one that has with --engine-python PATH, once for each release.",
        )
    return by_release[asked]
