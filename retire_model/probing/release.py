"""Lets this process import the Transformers release that is judged, and limits what it may use up."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

PACKAGE = "transformers"
MOST_WRITTEN = 64 * 1024 * 1024


class JudgedRelease:
    """Finds the package `transformers` below one folder, and nothing else that lies there."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Called by `import`."""
        return importlib.machinery.PathFinder.find_spec(name, [str(self.root)]) if name == PACKAGE else None


def prefer(root: Path) -> None:
    """Import `transformers` from `root` from now on, where it is not the installed one anyway."""
    installed = importlib.util.find_spec(PACKAGE)
    origin = Path(installed.origin).resolve() if installed is not None and installed.origin else None
    if origin is None or origin.parent != (root / PACKAGE).resolve():
        sys.meta_path.insert(0, JudgedRelease(root))


def limit(memory: int) -> None:
    """Let this process and its children map `memory` more bytes than it has mapped, and write no large files."""
    pages = Path("/proc/self/statm")
    mapped = int(pages.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if pages.exists() else 0
    for kind, wanted in (
        (resource.RLIMIT_AS, mapped + memory),
        (resource.RLIMIT_FSIZE, MOST_WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (bound, bound))
