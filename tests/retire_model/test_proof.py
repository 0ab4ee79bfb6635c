"""`--write --smoke`: what was written stays only if the models still run. The smoke run is made up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.version import Version

import retire_model.smoke.engine_python
import retire_model.smoke.smoke
from analyzer.errors import EnvironmentProblem
from retire_model.command import run
from retire_model.smoke.engine_python import EnginePython, Package
from retire_model.smoke.outcomes import Failed, Inconclusive, Outcome, Passed
from tests.retire_model.smoke.made_up import report
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.smoke.subjects import Subject


class Toy:
    """The small tree, and a smoke run that ends as it is told."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.engine, release = write_engine(folder), write_release(folder)
        self.options = ["toy", "--engine", str(self.engine), "--transformers", str(release)]
        self.outcome: Outcome | Exception = Passed(difference=1e-6)
        self.subjects: Sequence[Subject] = ()
        self.module_during: bool | None = None
        packages = [Package(release / name, name, Version("9.0.0")) for name in ("vllm", "torch", "transformers")]
        monkeypatch.setattr(
            retire_model.smoke.engine_python, "ask", lambda program: EnginePython(Path(program), *packages)
        )
        monkeypatch.setattr(retire_model.smoke.smoke, "smoke", self.smoke)

    def smoke(self, subjects: Sequence[Subject], *_: Any) -> Any:
        self.subjects, self.module_during = subjects, self.module.exists()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return (report(self.outcome),)

    @property
    def module(self) -> Path:
        return self.engine / "vllm/model_executor/models/toy.py"

    def content(self) -> dict[str, bytes]:
        return {str(p): p.read_bytes() for p in self.engine.rglob("*") if p.is_file()}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    return Toy(tmp_path, monkeypatch)


def test_what_runs_stays(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*toy.options, "--write", "--smoke"]) == 0
    assert not toy.module.exists()
    assert toy.module_during is False
    (subject,) = toy.subjects
    assert subject.architecture == "ToyForCausalLM"
    assert subject.sides.before is not None
    assert b"class Toy" in (subject.sides.before.changes["vllm/model_executor/models/toy.py"] or b"")
    assert "ToyForCausalLM: 1 passed." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("outcome", "status", "told"),
    [
        (Failed("shape is invalid"), 1, "the smoke run failed: ToyForCausalLM: 1 failed."),
        (Inconclusive("before and after: no"), 2, "the smoke run cannot tell"),
        (EnvironmentProblem("no room"), 2, "no room"),
    ],
)
def test_what_does_not_run_is_rolled_back(
    toy: Toy, capsys: pytest.CaptureFixture[str], outcome: Outcome | Exception, status: int, told: str
) -> None:
    before = toy.content()
    toy.outcome = outcome
    assert run([*toy.options, "--write", "--smoke"]) == status
    assert told in capsys.readouterr().err
    assert toy.module_during is False
    assert toy.content() == before


@pytest.mark.parametrize("outcome", [Failed("x"), Inconclusive("x"), EnvironmentProblem("x")])
def test_unless_it_is_kept(toy: Toy, outcome: Outcome | Exception) -> None:
    toy.outcome = outcome
    assert run([*toy.options, "--write", "--smoke", "--keep"]) == 0
    assert not toy.module.exists()


@pytest.mark.parametrize(
    "options",
    [["--smoke"], ["--write", "--keep"], ["--write", "--engine-python", "x"], ["--write", "--remove", "--smoke"]],
)
def test_options_that_do_not_go_together(toy: Toy, options: list[str]) -> None:
    before = toy.content()
    assert run([*toy.options, *options]) == 2
    assert toy.content() == before
