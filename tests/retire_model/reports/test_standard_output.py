"""Whatever becomes of standard output, the run ends as documented and says what was written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retire_model.command import run
from retire_model.reports.standard_output import OutputLost
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from collections.abc import Callable

MAIN = "from retire_model.command import main; main()"
MODULE = "vllm/model_executor/models/toy.py"


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    return write_engine(tmp_path)


@pytest.fixture
def options(engine: Path, tmp_path: Path) -> list[str]:
    return ["--engine", str(engine), "--transformers", str(write_release(tmp_path))]


def command(arguments: list[str], stdout: int, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
    )


def to_nobody(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run with a standard output whose reader has left."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return command(arguments, writer)
    finally:
        os.close(writer)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("arguments", [["toy"], ["toy", "--format", "json"], ["--help"], ["retire", "--help"]])
def test_a_terminal_that_cannot_show_everything(options: list[str], arguments: list[str], encoding: str) -> None:
    given = arguments if "--help" in arguments else [*arguments, *options]
    done = command(given, subprocess.PIPE, PYTHONIOENCODING=encoding, LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", [["toy"], ["check", "toy", "--format", "json"], ["toy", "--write"]])
def test_a_full_disk(engine: Path, options: list[str], arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = command([*arguments, *options], full.fileno())
    assert done.returncode == 2
    assert done.stderr.startswith("retire-model: standard output cannot be written: No space left on device\n")
    assert done.stderr.count("\n") == (2 if "--write" in arguments else 1)
    assert (engine / MODULE).exists()


@pytest.mark.parametrize("arguments", [["toy"], ["check", "toy"], ["rules"], ["--help"]])
def test_a_reader_that_leaves(options: list[str], arguments: list[str]) -> None:
    done = to_nobody(arguments if arguments[0] in ("rules", "--help") else [*arguments, *options])
    assert (done.returncode, done.stderr) == (141, "")


def test_a_reader_that_leaves_before_the_writing(engine: Path, options: list[str]) -> None:
    done = to_nobody(["toy", "--write", *options])
    assert done.returncode == 2
    assert done.stderr == "retire-model: standard output cannot be written: Broken pipe\n  Nothing was written.\n"
    assert (engine / MODULE).exists()


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def _lose(*_: object, **__: object) -> None:
    raise OutputLost(OSError(32, "Broken pipe"))


@pytest.mark.parametrize(("fail", "status"), [(_interrupt, 130), (_lose, 2)])
def test_cut_off_behind_the_writing(
    fail: Callable[..., None],
    status: int,
    engine: Path,
    options: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("retire_model.retire._close", fail)
    assert run(["toy", "--write", *options]) == status
    assert f"All changes are written to {engine}." in capsys.readouterr().err
    assert not (engine / MODULE).exists()


def test_interrupted_before_the_writing(
    engine: Path, options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("retire_model.retire._plan", _interrupt)
    for write in ([], ["--write"]):
        assert run(["toy", *write, *options]) == 130
        assert capsys.readouterr().err.endswith("retire-model: interrupted\n  Nothing was written.\n")
    assert (engine / MODULE).exists()


def test_standard_error_that_cannot_be_written(options: list[str]) -> None:
    for arguments in (["nosuch", *options], ["toy", "--nosuch"]):
        script = f"exec {sys.executable} -c '{MAIN}' \"$@\" 2>/dev/full"
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(["sh", "-c", script, "sh", *arguments], env=environment, stdout=subprocess.DEVNULL)
        assert done.returncode == 2


def test_a_current_directory_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for arguments in (["toy"], ["check", "toy"], ["lint"]):
        assert run(arguments) == 2
        assert "the current directory is not there any more" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["0", "86401", "99999999999999999999", "-1"])
def test_numbers_out_of_range(seconds: str, options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "toy", "--probe", "--probe-seconds", seconds, *options]) == 2
    assert "is not in the range 1<=x<=86400" in capsys.readouterr().err
