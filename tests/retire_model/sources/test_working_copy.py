"""A working copy replaces nothing but an earlier one that nobody has changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.errors import EnvironmentProblem, Refused, WrongUse
from retire_model.command import run
from retire_model.sources import working_copy as module
from retire_model.sources.tree_digest import tree_digest
from retire_model.sources.working_copy import is_as_left, mark, marker_of
from tests.retire_model.conftest import source_distribution
from tests.toy import FIXTURES, write_release

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.retire_model.conftest import FakeIndex

ENGINE = FIXTURES / "engine"


def working_copy(tree: Path, target: Path) -> Path:
    with module.working_copy(tree, target) as copy:
        return copy


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree/vllm").mkdir(parents=True)
    (tmp_path / "tree/vllm/a.py").write_text("a")
    (tmp_path / "tree/run.sh").write_text("#!")
    (tmp_path / "tree/run.sh").chmod(0o755)
    return tmp_path / "tree"


def test_copy_shares_nothing_with_the_original(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "deep/down/copy")
    assert (copy / "vllm/a.py").stat().st_ino != (tree / "vllm/a.py").stat().st_ino
    assert (copy / "run.sh").stat().st_mode & 0o111
    (copy / "vllm/a.py").write_text("edited")
    assert (tree / "vllm/a.py").read_text() == "a"
    assert not marker_of(tree).exists()


def test_earlier_copy_is_replaced(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    (copy / "vllm/a.py").unlink()
    mark(copy, tree, {"vllm/a.py": None})
    (copy / "vllm/__pycache__").mkdir()
    (copy / "vllm/__pycache__/b.pyc").touch()
    assert working_copy(tree, tmp_path / "copy") == copy
    assert sorted(path.name for path in copy.rglob("*")) == ["a.py", "run.sh", "vllm"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [marker_of(copy).name, "copy", "tree"]


def _edit(copy: Path) -> None:
    (copy / "vllm/a.py").write_text("b")


def _take_away(copy: Path) -> None:
    (copy / "run.sh").unlink()


def _add(copy: Path) -> None:
    (copy / "thesis.txt").write_text("years")


def _link(copy: Path) -> None:
    (copy / "link").symlink_to("run.sh")


def _pipe(copy: Path) -> None:
    os.mkfifo(copy / "pipe")


@pytest.mark.parametrize("change", [_edit, _take_away, _add, _link, _pipe])
def test_a_copy_that_was_changed_is_left_alone(change: Callable[[Path], None], tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    change(copy)
    names = sorted(path.name for path in copy.rglob("*"))
    with pytest.raises(Refused, match="was changed since") as caught:
        working_copy(tree, copy)
    assert "delete it" in caught.value.remedy
    assert sorted(path.name for path in copy.rglob("*")) == names


@pytest.mark.parametrize("change", [_edit, _take_away, _add])
def test_a_change_while_the_new_copy_is_made(
    change: Callable[[Path], None], tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    marker, put_in_place = marker_of(copy).read_bytes(), module._put_in_place

    def late(*paths: Path) -> None:
        change(copy)
        put_in_place(*paths)

    monkeypatch.setattr(module, "_put_in_place", late)
    with pytest.raises(Refused, match="was changed since"):
        working_copy(tree, copy)
    change(tmp_path / "tree")
    assert tree_digest(copy) == tree_digest(tree)
    assert marker_of(copy).read_bytes() == marker
    assert sorted(path.name for path in tmp_path.iterdir()) == [marker_of(copy).name, "copy", "tree"]


def test_two_runs_at_once(tree: Path, tmp_path: Path) -> None:
    with module.working_copy(tree, tmp_path / "copy"), pytest.raises(Refused, match="another run is at work"):
        working_copy(tree, tmp_path / "copy")
    working_copy(tree, tmp_path / "copy")


def test_the_lock_is_no_link(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/lock").touch()
    (tmp_path / ".copy.retire-model-lock").symlink_to("elsewhere")
    with pytest.raises(Refused, match="is a link"):
        working_copy(tree, tmp_path / "copy")
    assert (tmp_path / "elsewhere/lock").exists()


def test_names_that_no_folder_can_have(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="no working copy can be made at /"):
        working_copy(tree, Path("/"))
    for length in (300, 240):
        with pytest.raises(EnvironmentProblem, match="name too long"):
            working_copy(tree, tmp_path / ("n" * length))
    assert [path.name for path in tmp_path.iterdir()] == ["tree"]


def test_a_folder_put_in_the_place_of_a_copy_is_left_alone(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    copy.rename(tmp_path / "elsewhere")
    copy.mkdir()
    (copy / "thesis.txt").write_text("years")
    with pytest.raises(Refused, match="was changed since"):
        working_copy(tree, copy)
    assert (copy / "thesis.txt").read_text() == "years"


def test_empty_folder_is_taken(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    assert (working_copy(tree, tmp_path / "copy") / "run.sh").is_file()


def test_foreign_folder_is_left_alone(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years")
    with pytest.raises(Refused, match="not a working copy"):
        working_copy(tree, tmp_path / "mine")
    assert (tmp_path / "mine/thesis.txt").read_text() == "years"


def test_git_work_tree_is_left_alone(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    (copy / ".git").mkdir()
    with pytest.raises(Refused, match="git work tree"):
        working_copy(tree, copy)


def test_file_or_link_in_its_place(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(copy)
    for target in (tmp_path / "file", tmp_path / "link"):
        with pytest.raises(Refused, match="is not a folder"):
            working_copy(tree, target)
    assert (copy / "run.sh").is_file()


@pytest.mark.parametrize("inside", ["tree/copy", "tree", "."])
def test_neither_inside_the_original_nor_around_it(inside: str, tree: Path, tmp_path: Path) -> None:
    for place in (tree, tmp_path):
        mark(place, tree, {})
    with pytest.raises(Refused, match="within one another"):
        working_copy(tree, tmp_path / inside)


def test_place_that_cannot_be_written(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentProblem, match="cannot make the working copy"):
        working_copy(tree, tmp_path / "file/copy")


def test_writing_twice_and_changing_in_between(
    index: FakeIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {str(p.relative_to(ENGINE)): p.read_text() for p in ENGINE.rglob("*") if p.is_file()}
    data = source_distribution({f"vllm-9.1.0/{name}": text for name, text in files.items()})
    index.add_file("vllm", "vllm-9.1.0.tar.gz", data)
    monkeypatch.setenv("RETIRE_MODEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    command = ["toy", "--write", "--engine", "vllm==9.1.0", "--transformers", str(write_release(tmp_path))]
    assert run(command) == 0
    assert run(command) == 0, capsys.readouterr().err
    registry = tmp_path / "vllm-9.1.0" / REGISTRY_FILE
    registry.write_text(registry.read_text() + "# mine\n")
    assert run(command) == 1
    assert "was changed since" in capsys.readouterr().err
    assert registry.read_text().endswith("# mine\n")


def test_what_somebody_wrote_meanwhile_is_not_ours(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    (copy / "vllm/a.py").write_text("ours")
    (copy / "thesis.txt").write_text("years")
    mark(copy, tree, {"vllm/a.py": b"ours"})
    with pytest.raises(Refused, match="was changed since"):
        working_copy(tree, copy)
    (copy / "thesis.txt").unlink()
    assert is_as_left(copy)
    assert (working_copy(tree, copy) / "vllm/a.py").read_text() == "a"


def test_a_run_that_was_killed_while_it_copied(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    (tmp_path / ".copy.123.partial/copy").mkdir(parents=True)
    working_copy(tree, copy)
    assert not (tmp_path / ".copy.123.partial").exists()


def test_a_run_that_was_killed_between_two_renames(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    (copy / "thesis.txt").write_text("years")
    copy.rename(tmp_path / ".copy.123.earlier")
    with pytest.raises(Refused, match="was changed since"):
        working_copy(tree, copy)
    assert (copy / "thesis.txt").read_text() == "years"


def test_a_run_that_was_killed_before_it_cleared_away(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    (tmp_path / ".copy.123.earlier").mkdir()
    working_copy(tree, copy)
    assert not (tmp_path / ".copy.123.earlier").exists()
    (tmp_path / ".copy.123.earlier").mkdir()
    (copy / "thesis.txt").write_text("years")
    with pytest.raises(Refused, match=r"\.copy\.123\.earlier is what stood at .*copy before"):
        working_copy(tree, copy)
    assert (tmp_path / ".copy.123.earlier").exists()
