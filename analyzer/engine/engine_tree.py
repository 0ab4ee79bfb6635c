"""Recognises an engine tree and reads what identifies it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from analyzer.engine.registry import REGISTRY_FILE, Registry, read_registry
from analyzer.errors import EnvironmentProblem, UnreadableSource
from analyzer.source.source_tree import SourceTree
from analyzer.versions import parse_version

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

    Raises `EnvironmentProblem` where `root` is none or cannot be read, `UnreadableSource` where its registry does not
    parse or is a link out of it.
    """
    files = SourceTree(root)
    if not files.exists(REGISTRY_FILE):
        raise _no_registry(files)
    return EngineTree(root, files, read_registry(files), _version(files))


def _no_registry(files: SourceTree) -> EnvironmentProblem | UnreadableSource:
    """Why there is no registry to read: no engine, or one that is kept from being read."""
    try:
        path = files.locate(REGISTRY_FILE)
        path.lstat()
        path.stat()
    except UnreadableSource as error:
        return error
    except (FileNotFoundError, NotADirectoryError) as error:
        if Path(error.filename).is_symlink():
            reason = "it is a link to a file that is not there"
            return EnvironmentProblem(f"cannot read {REGISTRY_FILE} of {files.real_root}: {reason}", "Mend the link.")
        return EnvironmentProblem(
            f"{files.real_root} is not an engine tree: it has no {REGISTRY_FILE}",
            "Run inside a vLLM checkout, or name one with --engine PATH or --engine vllm==VERSION.",
        )
    except OSError as error:
        reason = error.strerror or str(error)
        return EnvironmentProblem(
            f"cannot read {REGISTRY_FILE} of {files.real_root}: {reason}", "Give yourself leave to read the tree."
        )
    return EnvironmentProblem(f"{REGISTRY_FILE} of {files.real_root} is not a file", "Put the registry back.")


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
                    return parse_version(found[1])
            except (UnreadableSource, InvalidVersion):
                continue
    return None
