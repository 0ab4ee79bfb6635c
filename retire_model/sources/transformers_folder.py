"""Finds the package `transformers` in a folder, without importing it."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_INIT = "transformers/__init__.py"


def root_of(path: Path) -> Path | None:
    """The folder that holds the package, or None where there is no package.

    That is `path` (an unpacked release, site-packages), its `src` (a checkout), or its parent (the package).
    """
    whole = path.absolute()
    candidates = (whole, whole / "src", whole.parent) if whole.name == "transformers" else (whole, whole / "src")
    return next((root for root in candidates if os.path.isfile(root / _INIT)), None)  # noqa: PTH113 - false, too, for what cannot be asked


def installed_root(distribution: Distribution) -> Path | None:
    """The folder that holds the package of an installed distribution, also of an editable one."""
    beside = root_of(Path(str(distribution.locate_file(""))))
    return beside or _editable_root(distribution)


def package_version(root: Path) -> str | None:
    """What the package calls its version. Raises `UnreadableSource` where it does not parse."""
    for statement in SourceTree(root).parse(_INIT).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__version__")], value=ast.Constant(value=str(version))):
                return version
    return None


def _editable_root(distribution: Distribution) -> Path | None:
    try:
        url = json.loads(distribution.read_text("direct_url.json") or "{}").get("url", "")
    except (ValueError, AttributeError, OSError):
        return None
    parts = urlsplit(url)
    return root_of(Path(url2pathname(parts.path))) if parts.scheme == "file" else None
