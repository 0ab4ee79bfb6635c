"""Which versions the package index listed when it was last asked, so that it need not be asked again."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from packaging.version import Version

from analyzer.source.regular_files import read_regular_file
from retire_model.whole_files import write_whole

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
        return sorted(Version(text) for text in json.loads(read_regular_file(file)))
    except (OSError, ValueError, TypeError):
        return []


def write_known_versions(file: Path, versions: Iterable[Version]) -> None:
    """Keep `versions` in `file`, all or nothing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps([str(version) for version in sorted(versions)]))
