"""Recognises an engine tree and reads what identifies it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - part of a public field

from packaging.version import InvalidVersion, Version

from analyzer.errors import EnvironmentProblem, UnreadableSource
from analyzer.registry import REGISTRY_FILE, Registry, read_registry
from analyzer.source_tree import SourceTree

MODELS_FOLDER = "vllm/model_executor/models"


@dataclass(frozen=True, slots=True, eq=False)
class EngineTree:
    """An engine checkout or unpacked release."""

    root: Path
    files: SourceTree
    registry: Registry
    version: Version | None
    """None where the tree does not say (a shallow checkout that was never built)."""


def open_engine_tree(root: Path) -> EngineTree:
    """Open the engine tree at `root`.

    Raises `EnvironmentProblem` where `root` is none, `UnreadableSource` where its registry does not parse.
    """
    files = SourceTree(root)
    if not files.exists(REGISTRY_FILE):
        raise EnvironmentProblem(
            f"{root} is not an engine tree: it has no {REGISTRY_FILE}",
            "Run inside a vLLM checkout, or name one with --engine PATH or --engine vllm==VERSION.",
        )
    return EngineTree(root, files, read_registry(files), _version(files))


_VERSION_SOURCES = (
    ("PKG-INFO", re.compile(r"^Version:\s*(\S+)", re.MULTILINE)),
    (
        "vllm/_version.py",
        re.compile(r"^__version__\s*=\s*(?:version\s*=\s*)?['\"]([^'\"]+)['\"]", re.MULTILINE),
    ),
)


def _version(files: SourceTree) -> Version | None:
    for file, pattern in _VERSION_SOURCES:
        if files.exists(file):
            try:
                found = pattern.search(files.text(file))
                if found:
                    return Version(found[1])
            except (UnreadableSource, InvalidVersion):
                continue
    return None
