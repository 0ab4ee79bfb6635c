"""`retire-model undo` and `--stage` on the small trees, with git and without."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from codemods.writing.disk import Disk
from retire_model.command import run
from retire_model.last_change import MOST, ChangedFile, LastChange, keep_last_change, known_last_change
from tests.toy import write_engine, write_release

if TYPE_CHECKING:
    from pathlib import Path

MODULE = "vllm/model_executor/models/toy.py"
REGISTRY = "vllm/model_executor/models/registry.py"

Tree = dict[str, tuple[int, bytes]]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def options(tmp_path: Path) -> list[str]:
    engine = write_engine(tmp_path)
    (engine / "PKG-INFO").write_text("Version: 9.0.0\n")
    (engine / MODULE).chmod(0o755)
    return ["--engine", str(engine), "--transformers", str(write_release(tmp_path))]


def content(root: str) -> Tree:
    found = {}
    for folder, _, files in os.walk(root):
        for name in files:
            path = os.path.join(folder, name)  # noqa: PTH118
            if f"{os.sep}.git{os.sep}" not in path:
                with open(path, "rb") as file:  # noqa: PTH123
                    found[os.path.relpath(path, root)] = (stat.S_IMODE(os.stat(path).st_mode), file.read())  # noqa: PTH116
    return found


def git(root: str, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    done = subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout


def undo(options: list[str], *more: str) -> int:
    return run(["undo", *options[:2], *more])


def test_all_is_as_before(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = content(options[1])
    assert run(["toy", "--remove", "--write", *options]) == 0
    assert f"To take it back: retire-model undo --engine {options[1]}" in capsys.readouterr().out.replace("\n", " ")
    assert MODULE not in content(options[1])
    assert undo(options) == 0
    assert capsys.readouterr().out.startswith("Took back toy: ")
    assert content(options[1]) == before
    assert undo(options) == 1
    assert "no change set of yours" in capsys.readouterr().err


def test_nothing_was_done(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = content(options[1])
    assert undo(options) == 1
    assert "no change set of yours" in capsys.readouterr().err
    assert content(options[1]) == before


def test_a_file_that_was_changed_since(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(["toy", "--remove", "--write", *options])
    with open(f"{options[1]}/{REGISTRY}", "a") as file:  # noqa: PTH123
        file.write("# mine\n")
    after = content(options[1])
    assert undo(options) == 1
    assert f"changed since toy was retired: {REGISTRY}" in capsys.readouterr().err
    assert content(options[1]) == after


def test_a_file_that_came_back(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(["toy", "--remove", "--write", *options])
    with open(f"{options[1]}/{MODULE}", "w") as file:  # noqa: PTH123
        file.write("mine\n")
    assert undo(options) == 1
    assert f"changed since toy was retired: {MODULE}" in capsys.readouterr().err


def test_what_was_put_back_by_hand_already(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = content(options[1])
    run(["toy", "--remove", "--write", *options])
    for file, (mode, data) in before.items():
        path = f"{options[1]}/{file}"
        with open(path, "wb") as opened:  # noqa: PTH123
            opened.write(data)
        os.chmod(path, mode)  # noqa: PTH101
    assert undo(options) == 1
    assert "is taken back already" in capsys.readouterr().err


def test_a_copy_elsewhere_is_another_tree(options: list[str], tmp_path: Path) -> None:
    run(["toy", "--remove", "--write", *options])
    shutil.copytree(options[1], tmp_path / "other")
    assert undo(["--engine", str(tmp_path / "other")]) == 1


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"version": 2, "mark": "' + b"0" * 64 + b'", "journal": "x"}'])
def test_what_others_put_into_the_cache(options: list[str], cache: Path, damage: bytes) -> None:
    run(["toy", "--remove", "--write", *options])
    (kept,) = (cache / "changes").iterdir()
    kept.write_bytes(damage)
    assert undo(options) == 1


def test_a_disk_that_fails_leaves_all_in_place(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["toy", "--remove", "--write", *options])
    after = content(options[1])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Disk, "replace", full)
    assert undo(options) == 2
    monkeypatch.undo()
    assert "No space left on device" in capsys.readouterr().err
    assert content(options[1]) == after


def test_a_release_is_never_edited(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["undo", "--engine", "vllm==0.24.0"]) == 2
    assert "a release, which is never edited" in capsys.readouterr().err


def test_a_failed_run_is_not_the_last_change(options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    before = content(options[1])
    monkeypatch.setattr("retire_model.retire.keep_last_change", lambda *_: 1 / 0)
    assert run(["toy", "--remove", "--write", *options]) == 3
    assert content(options[1]) == before
    assert undo(options) == 1


def test_only_so_many_are_kept(tmp_path: Path, cache: Path) -> None:
    change = LastChange("toy", (ChangedFile("a", None, None, "0"),))
    for number in range(MOST + 3):
        keep_last_change(tmp_path / str(number), b"k" * 32, change)
    assert len(list((cache / "changes").iterdir())) == MOST
    assert known_last_change(tmp_path / str(MOST + 2), b"k" * 32) == change
    assert known_last_change(tmp_path / str(MOST + 2), b"j" * 32) is None


def test_the_index_holds_what_was_changed_and_nothing_else(options: list[str]) -> None:
    root = options[1]
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "before")
    with open(f"{root}/other.txt", "w") as file:  # noqa: PTH123
        file.write("mine\n")
    assert run(["toy", "--remove", "--write", "--stage", *options]) == 0
    staged = git(root, "diff", "--cached", "--name-only").split()
    assert MODULE in staged
    assert REGISTRY in staged
    assert git(root, "status", "--porcelain", "-uall").splitlines()[-1] == "?? other.txt"
    assert git(root, "diff", "--name-only") == ""
    assert undo(options, "--stage") == 0
    assert git(root, "status", "--porcelain") == "?? other.txt\n"


def test_without_the_option_the_index_stays(options: list[str]) -> None:
    root = options[1]
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "before")
    assert run(["toy", "--remove", "--write", *options]) == 0
    assert git(root, "diff", "--cached", "--name-only") == ""
    assert undo(options) == 0
    assert git(root, "status", "--porcelain") == ""


def test_staging_runs_nothing_that_the_tree_names(options: list[str], tmp_path: Path) -> None:
    root, marker = options[1], tmp_path / "ran"
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "before")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    shutil.copy(program, f"{root}/.git/hooks/post-index-change")
    git(root, "config", "filter.odd.clean", str(program))
    with open(f"{root}/.git/info/attributes", "w") as file:  # noqa: PTH123
        file.write("* filter=odd\n")
    assert run(["toy", "--remove", "--write", "--stage", *options]) == 0
    assert not marker.exists()
    assert MODULE in git(root, "-c", "filter.odd.clean=cat", "diff", "--cached", "--name-only")


def test_no_index_to_stage_in(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = content(options[1])
    assert run(["toy", "--remove", "--write", "--stage", *options]) == 2
    assert "--stage: git tracks nothing in " in capsys.readouterr().err
    assert run(["toy", "--remove", "--stage", *options]) == 2
    assert "--stage goes with --write" in capsys.readouterr().err
    assert content(options[1]) == before
