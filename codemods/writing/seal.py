"""Tells a journal that this user's own runs wrote for this very tree from one that came with the tree."""

from __future__ import annotations

import hashlib
import hmac
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HEAD, BODY, END = b'{"version": 2, "mark": "', b'", "journal": ', b"}"
MARK_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Seal:
    """The user's secret `key` and the tree that a journal is about; without a key nothing is known to be ours."""

    root: Path
    key: bytes | None = field(repr=False)

    def close(self, content: bytes) -> bytes:
        """`content` with its mark, as one JSON object. Raises `ValueError` without a key."""
        if self.key is None:
            raise ValueError("a journal is written with a key")
        about = HEAD + os.fsencode(os.path.realpath(self.root)) + b"\0"
        mark = hmac.new(self.key, about + content, hashlib.sha256).hexdigest()
        return HEAD + mark.encode() + BODY + content + END

    def open(self, closed: bytes) -> bytes | None:
        """What `close` was given; None for anything else, of which nothing is parsed."""
        content = closed[len(HEAD) + MARK_LENGTH + len(BODY) : -len(END)]
        if self.key is None or not hmac.compare_digest(self.close(content), closed):
            return None
        return content
