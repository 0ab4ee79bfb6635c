"""Which versions the package index listed when it was last asked, so that it need not be asked again."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


KEPT_FOR = 24 * 60 * 60
"""Seconds for which an answer of the index is taken for today's."""


def is_fresh(file: Path) -> bool:
    """Whether the answer kept in `file` is young enough not to ask again."""
    try:
        return 0 <= time.time() - file.stat().st_mtime < KEPT_FOR
    except OSError:
        return False


def read_known_versions(file: Path) -> list[Version]:
    """The versions kept in `file`, lowest first; none where it cannot be read."""
    try:
        return sorted(Version(text) for text in json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, InvalidVersion):
        return []


def write_known_versions(file: Path, versions: Iterable[Version]) -> None:
    """Keep `versions` in `file`, all or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    beside.write_text(json.dumps([str(version) for version in sorted(versions)]), encoding="utf-8")
    beside.replace(file)
