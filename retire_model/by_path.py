"""Started by path, with a Python that need not have this package: it is loaded from here and nothing beside it is.

python by_path.py MODULE ARGUMENT…    calls `main` of the module and leaves with what it returns
"""

from __future__ import annotations

import importlib.util
import sys
from importlib import import_module
from pathlib import Path

NAME = "retire_model"


def load() -> None:
    """Make this folder importable as the package `NAME`, and no longer as a place to look for modules."""
    folder = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if entry and Path(entry).resolve() != folder]
    spec = importlib.util.spec_from_file_location(
        NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None  # noqa: S101 - a file of this package
    assert spec.loader is not None  # noqa: S101 - the same
    package = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    load()
    sys.exit(import_module(sys.argv[1]).main(*sys.argv[2:]))
