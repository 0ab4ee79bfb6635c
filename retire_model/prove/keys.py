"""What the outcome of a case depends on, as one name: where anything of it changes, the case is run again."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.source.source_scan import python_files
from retire_model.smoke.overlay import PACKAGE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retire_model.smoke.engine_python import EnginePython

OURS = ("smoke", "probing")
"""The folders of this package that decide what a smoke run finds."""


def key_of_trees(python: EnginePython, roots: Iterable[Path]) -> str:
    """A name for the contents of the engine trees, of Transformers and of the smoke run, and for what is installed.

    Raises `UnreadableSource`.
    """
    package = Path(__file__).parents[1]
    digest = hashlib.blake2b(digest_size=16)
    for folder in (*(package / name for name in OURS), python.transformers.folder, *(r / PACKAGE for r in roots)):
        each = sorted((file, hashlib.blake2b(data, digest_size=16).digest()) for file, data in python_files(folder))
        digest.update(repr((folder.name, each)).encode())
    installed = (python.engine, python.torch, python.transformers)
    digest.update(repr([(p.distribution, str(p.version)) for p in installed if p is not None]).encode())
    return digest.hexdigest()


def key_of_case(trees: str, words: Iterable[str]) -> str:
    """The same for one case; `words` are what it is asked for besides the contents, which the paths do not change."""
    return hashlib.blake2b(repr((trees, tuple(words))).encode(), digest_size=16).hexdigest()
