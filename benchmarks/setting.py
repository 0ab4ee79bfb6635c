"""The programs and trees that the rows measure."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from packaging.version import Version

from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.releases import ReleaseCache

_VERSIONS = """
import importlib.metadata, sys
print(sys.version.split()[0])
for name in ("transformers", "torch"):
    try:
        print(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        print("-")
"""


@dataclass(frozen=True)
class Setting:
    """Where the rows find what they need. Releases are fetched when a row first asks for one."""

    reference_python: str
    """A Python with Transformers, to compare with importing it."""

    @property
    def tool(self) -> str:
        """The installed command: what a user starts, with the entry script's own cost."""
        return str(Path(sys.executable).with_name("retire-model"))

    @property
    def cache(self) -> Path:
        """Where releases lie."""
        return cache_folder()

    def engine(self, version: str) -> str:
        """The root of `vllm==version` in the cache."""
        return str(ReleaseCache(cache_folder()).engine(Version(version)))

    @cached_property
    def reference_versions(self) -> tuple[str, str, str] | None:
        """Python, transformers and torch of the reference, `-` for what is not installed. None without it."""
        try:
            done = subprocess.run([self.reference_python, "-c", _VERSIONS], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        python, transformers, torch = done.stdout.split()
        return python, transformers, torch


def program(name: str) -> str:
    """The path of another tool, as it is installed beside this Python, else on the path; empty where it is not."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name) or ""
