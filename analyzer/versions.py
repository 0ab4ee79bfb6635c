"""Reads versions that strangers write: on the command line, in a tree, as a tag, on an index."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

LONGEST = 100
"""Characters. Python refuses to read numbers of thousands of digits, with an error that is no `InvalidVersion`."""


def parse_version(text: str) -> Version:
    """The version that `text` is. Raises `InvalidVersion` for what is none, or too long to be a release's."""
    if len(text) > LONGEST:
        raise InvalidVersion(f"longer than {LONGEST} characters")
    return Version(text)
