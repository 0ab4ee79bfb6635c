"""Versions that strangers write."""

from __future__ import annotations

import pytest
from packaging.version import InvalidVersion, Version

from analyzer.versions import parse_version


def test_a_release() -> None:
    assert parse_version("0.24.1rc1.dev3+cu129") == Version("0.24.1rc1.dev3+cu129")


@pytest.mark.parametrize("text", ["", "newest", "1..2", "9" * 5000, "0." + "0" * 200])
def test_none(text: str) -> None:
    with pytest.raises(InvalidVersion):
        parse_version(text)
