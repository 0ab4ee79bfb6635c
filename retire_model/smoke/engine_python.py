"""Asks a Python what it has: the engine, torch and Transformers. Nothing of them is imported for that."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from analyzer.errors import EnvironmentProblem

NAMES = ("vllm", "torch", "transformers")
_ASK = f"""
import importlib.util, importlib.metadata, json
def place(name):
    spec = importlib.util.find_spec(name)
    return spec.origin if spec and spec.origin else None
def version(name):
    for distribution in importlib.metadata.packages_distributions().get(name, []):
        return [distribution, importlib.metadata.version(distribution)]
print(json.dumps({{n: [place(n), version(n)] for n in {NAMES!r} if place(n)}}))
"""
SECONDS = 60


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package: the folder it is imported from, and the distribution that brought it."""

    folder: Path
    distribution: str
    version: Version | None

    @property
    def is_for_cpu(self) -> bool:
        """Whether its name or version says that it was built for CPUs."""
        local = (self.version.local or "") if self.version is not None else ""
        return self.distribution.endswith("-cpu") or "cpu" in local


@dataclass(frozen=True, slots=True)
class EnginePython:
    """A Python and what it has."""

    program: Path
    engine: Package | None
    torch: Package
    transformers: Package


def ask(program: str) -> EnginePython:
    """What the Python `program` has. Raises `EnvironmentProblem` where it cannot be started or lacks torch."""
    remedy = "Name a Python with the engine, or at least torch and Transformers: --engine-python PATH (`make engine`)."
    found = shutil.which(program)
    if found is None:
        raise EnvironmentProblem(f"there is no program {program}", remedy)
    # Links stay: they make the environment.
    path = Path(found).absolute()
    try:
        run = subprocess.run(  # noqa: S603 - the Python that the user named
            [path, "-c", _ASK], capture_output=True, text=True, timeout=SECONDS, check=True, stdin=subprocess.DEVNULL
        )
        told = json.loads(run.stdout.splitlines()[-1])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        raise EnvironmentProblem(f"{program} does not answer as a Python does: {error}", remedy) from error
    packages = {name: _package(*told[name]) for name in NAMES if name in told}
    missing = [name for name in NAMES[1:] if name not in packages]
    if missing:
        raise EnvironmentProblem(f"{program} has no {' and no '.join(missing)}", remedy)
    return EnginePython(path, packages.get("vllm"), packages["torch"], packages["transformers"])


def _package(origin: str, version: list[str] | None) -> Package:
    distribution, number = version or ("", "")
    try:
        parsed = Version(number)
    except InvalidVersion:
        parsed = None
    return Package(Path(origin).parent, distribution, parsed)
