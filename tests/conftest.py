"""Released engine and Transformers sources for the tests that are marked `release`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from packaging.version import Version

from analyzer.errors import EnvironmentProblem
from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.releases import ReleaseCache

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Release = Callable[[str], Path]

# How long a machine takes is no matter of a test.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def engine_release() -> Release:
    """The root of `vllm==VERSION` in the cache, fetched where it is missing. Copy it before you edit it."""
    cache = ReleaseCache(cache_folder())
    return lambda version: _or_skip(lambda: cache.engine(Version(version)))


@pytest.fixture(scope="session")
def transformers_release() -> Release:
    """The folder with the package `transformers` of that version, in the cache. It is read, never edited."""
    cache = ReleaseCache(cache_folder())
    return lambda version: _or_skip(lambda: cache.transformers(Version(version)))


@pytest.fixture(scope="session")
def engine_0_11(engine_release: Release) -> Path:
    return engine_release("0.11.2")


@pytest.fixture(scope="session")
def engine_0_24(engine_release: Release) -> Path:
    return engine_release("0.24.0")


@pytest.fixture(scope="session")
def engine_0_25(engine_release: Release) -> Path:
    return engine_release("0.25.0")


@pytest.fixture(scope="session")
def engine_0_32(engine_release: Release) -> Path:
    return engine_release("0.32.0")


@pytest.fixture(scope="session")
def engine_0_33(engine_release: Release) -> Path:
    return engine_release("0.33.0")


def _or_skip(bring: Callable[[], Path]) -> Path:
    """Without the release a test cannot run: on a developer's machine it is skipped, in CI it fails."""
    try:
        return bring()
    except EnvironmentProblem as problem:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{problem.problem} ({problem.remedy})")
