"""The commands by which a job's step talks to GitHub's runner."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analyzer.locations import Location


def annotation(level: str, place: Location, title: str, text: str) -> str:
    """A line that puts `text` beside a line of a file; `level` is `error`, `warning` or `notice`."""
    return (
        f"::{level} file={_property(place.file)},line={place.line},col={place.column},"
        f"title={_property(title)}::{_data(text)}\n"
    )


def notice(text: str) -> str:
    """A line that puts `text` on the page of the run."""
    return f"::notice title=retire-model::{_data(text)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
