"""Asks a Python what it has: the engine, torch and Transformers. Nothing of them is imported for that."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from analyzer.errors import EnvironmentProblem
from retire_model.smoke.inside.process_group import end_group

NAMES = ("vllm", "torch", "transformers")
_ASK = f"""
import importlib.util, importlib.metadata, json, sys
# The user may stand in a checkout of the engine, which is not what is installed.
sys.path[:] = [entry for entry in sys.path if entry]
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
        packages = _answer(path)
    except OSError as error:
        raise EnvironmentProblem(f"{program} cannot be started: {error.strerror}", remedy) from error
    except ValueError as error:
        raise EnvironmentProblem(f"{program} does not answer as a Python does: {error}", remedy) from error
    missing = [name for name in NAMES[1:] if name not in packages]
    if missing:
        raise EnvironmentProblem(f"{program} has no {' and no '.join(missing)}", remedy)
    return EnginePython(path, packages.get("vllm"), packages["torch"], packages["transformers"])


def _answer(path: Path) -> dict[str, Package]:
    """What it has, by name. Raises `OSError`, and `ValueError` for what is no answer."""
    process = subprocess.Popen(  # noqa: S603 - the Python that the user named
        [path, "-c", _ASK],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"it says nothing within {SECONDS} seconds") from error
    finally:
        end_group(process.pid)
        process.wait()
    if process.returncode:
        said = err.decode(errors="replace").strip().splitlines()
        raise ValueError(": ".join([f"it ends with status {process.returncode}", *said[-1:]])[:300])
    try:
        told = json.loads(out.splitlines()[-1])
        return {name: _package(*told[name]) for name in NAMES if name in told}
    except (ValueError, IndexError, TypeError) as error:
        raise ValueError("what it prints is not what it was asked for") from error


def _package(origin: str, version: list[str] | None) -> Package:
    distribution, number = version or ("", "")
    try:
        parsed = Version(number)
    except InvalidVersion:
        parsed = None
    return Package(Path(origin).parent, distribution, parsed)
