"""The words of a source that may be names of fields, by its bytes alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MENTIONED = re.compile(rb"[.\"']([A-Za-z_][A-Za-z0-9_]*)")


def words_mentioned(sources: Iterable[bytes]) -> frozenset[str]:
    """Every word behind a dot or a quote: what code may read of a configuration, whatever it calls it."""
    return frozenset(word.decode() for source in sources for word in _MENTIONED.findall(source))
