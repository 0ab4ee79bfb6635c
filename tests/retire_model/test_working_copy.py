from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem, Refused
from retire_model.working_copy import _mark, marker_of, working_copy

if TYPE_CHECKING:
    from pathlib import Path


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
    (copy / "more").touch()
    assert working_copy(tree, tmp_path / "copy") == copy
    assert sorted(path.name for path in copy.rglob("*")) == ["a.py", "run.sh", "vllm"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [marker_of(copy).name, "copy", "tree"]


def test_a_folder_put_in_the_place_of_a_copy_is_left_alone(tree: Path, tmp_path: Path) -> None:
    copy = working_copy(tree, tmp_path / "copy")
    copy.rename(tmp_path / "elsewhere")
    copy.mkdir()
    (copy / "thesis.txt").write_text("years")
    with pytest.raises(Refused, match="not a working copy"):
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
        marker_of(place).write_text(_mark(place))
    with pytest.raises(Refused, match="within one another"):
        working_copy(tree, tmp_path / inside)


def test_place_that_cannot_be_written(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentProblem, match="cannot make the working copy"):
        working_copy(tree, tmp_path / "file/copy")
