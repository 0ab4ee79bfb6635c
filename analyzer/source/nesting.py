"""What strangers wrote may be nested so deeply that following it takes more calls than Python allows."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from analyzer.errors import UnreadableSource

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def follow(what: str) -> Iterator[None]:
    """Raise `UnreadableSource` where `what` cannot be followed to its end."""
    try:
        yield
    except RecursionError as error:
        raise UnreadableSource(f"{what} is nested too deeply to be followed", "No real source is.") from error
