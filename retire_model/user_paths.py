"""Paths as people write them."""

from __future__ import annotations

from pathlib import Path

from analyzer.errors import EnvironmentProblem


def user_path(text: str) -> Path:
    """`text`, where a leading `~` is a home folder. Raises `EnvironmentProblem` where that is not known."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise EnvironmentProblem(f"{text}: there is no such home folder", "Write the whole path.") from error
