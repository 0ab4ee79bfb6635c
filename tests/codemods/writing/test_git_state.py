"""Files with uncommitted changes are noticed in every kind of work tree, and the index is left alone."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem, Refused
from codemods.edits import ChangeSet, Deletion, Rewrite
from codemods.writing.git_state import uncommitted_files
from tests.codemods.applying import apply, recover
from tests.codemods.small_tree import write_tree

if TYPE_CHECKING:
    from pathlib import Path

FILES = ["a.py", "sub/b.py", "*.py"]


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


def repository(root: Path) -> Path:
    write_tree(root, {"a.py": "a\n", "sub/b.py": "b\n", "*.py": "star\n", "other.py": "o\n", ".gitignore": "ignored\n"})
    git(root, "init", "-q")
    git(root, "add", "--all")
    git(root, "commit", "-qm", "one")
    return root


def test_a_clean_tree(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / "other.py").write_text("changed\n")
    assert uncommitted_files(root, FILES) == ()


def test_every_kind_of_change(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / "a.py").write_text("changed\n")
    (root / "sub/b.py").write_text("staged\n")
    git(root, "add", "sub/b.py")
    (root / "*.py").unlink()
    (root / "new\n.py").write_text("new\n")
    assert uncommitted_files(root, [*FILES, "new\n.py"]) == ("*.py", "a.py", "new\n.py", "sub/b.py")


def test_a_renamed_file(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "mv", "a.py", "c.py")
    assert uncommitted_files(root, ["a.py", "c.py"]) == ("a.py", "c.py")


def test_no_repository_and_a_release_inside_one(tmp_path: Path) -> None:
    write_tree(tmp_path / "plain", {"a.py": "a\n"})
    assert uncommitted_files(tmp_path / "plain", ["a.py"]) == ()
    root = repository(tmp_path / "r")
    write_tree(root, {"ignored/tree/a.py": "a\n", "unpacked/a.py": "a\n"})
    assert uncommitted_files(root / "ignored/tree", ["a.py"]) == ()
    assert uncommitted_files(root / "unpacked", ["a.py"]) == ()
    assert uncommitted_files(root / "sub", ["b.py"]) == ()
    (root / "sub/b.py").write_text("changed\n")
    assert uncommitted_files(root / "sub", ["b.py"]) == ("b.py",)
    assert uncommitted_files(root / ".git", ["a.py"]) == ()


def test_worktrees_submodules_and_shallow_clones(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "worktree", "add", "-q", str(tmp_path / "w"))
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{root}", str(tmp_path / "s"))
    outer = repository(tmp_path / "o")
    git(outer, "submodule", "add", "-q", str(root), "module")
    for tree in (tmp_path / "w", tmp_path / "s", outer / "module"):
        assert uncommitted_files(tree, FILES) == ()
        (tree / "a.py").write_text("changed\n")
        assert uncommitted_files(tree, FILES) == ("a.py",)


def test_a_caller_in_another_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, other = repository(tmp_path / "r"), repository(tmp_path / "other")
    (root / "a.py").write_text("changed\n")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    assert uncommitted_files(root, FILES) == ("a.py",)


def test_no_program_of_the_trees_own_runs(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "config", "core.fsmonitor", f"touch {tmp_path}/ran; false")
    assert uncommitted_files(root, FILES) == ()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("bit", ["--assume-unchanged", "--skip-worktree"])
def test_an_index_that_says_not_to_look(bit: str, tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "update-index", bit, "a.py", "sub/b.py")
    assert uncommitted_files(root, FILES) == ()
    (root / "a.py").write_text("changed\n")
    assert uncommitted_files(root, FILES) == ("a.py",)


def test_a_file_that_is_ignored(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / "ignored").mkdir()
    (root / "ignored/a.py").write_text("years of work\n")
    assert uncommitted_files(root, [*FILES, "ignored/a.py", "not/yet.py"]) == ("ignored/a.py",)


def test_a_tree_that_is_a_folder_of_a_repository(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / "sub/new.py").write_text("new\n")
    assert uncommitted_files(root / "sub", ["b.py", "new.py"]) == ("new.py",)


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    root = tmp_path / "r"
    write_tree(root, {"a.py": "a\n", "b.py": "b\n"})
    git(root, "init", "-q")
    git(root, "add", "a.py")
    assert uncommitted_files(root, ["a.py", "b.py"]) == ("a.py", "b.py")


def test_a_sparse_checkout(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "sparse-checkout", "set", "--no-cone", "/a.py")
    assert not (root / "sub").exists()
    assert uncommitted_files(root, FILES) == ()
    git(root, "sparse-checkout", "disable")
    (root / "a.py").unlink()
    assert uncommitted_files(root, FILES) == ("a.py",)


def test_a_merge_that_is_under_way(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "checkout", "-qb", "other")
    (root / "a.py").write_text("theirs\n")
    git(root, "commit", "-qam", "theirs")
    git(root, "checkout", "-q", "-")
    (root / "a.py").write_text("ours\n")
    git(root, "commit", "-qam", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "merge", "other")
    git(root, "checkout", "--ours", "a.py")
    assert uncommitted_files(root, FILES) == ("a.py",)


def test_line_ends_that_git_changes(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "config", "core.autocrlf", "true")
    (root / "a.py").write_bytes(b"a\r\n")
    assert uncommitted_files(root, FILES) == ()
    (root / "a.py").write_bytes(b"changed\r\n")
    assert uncommitted_files(root, FILES) == ("a.py",)


def test_no_filter_of_the_trees_own_runs(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / ".gitattributes").write_text("* filter=a=b\n")
    git(root, "config", "filter.a=b.clean", f"touch {tmp_path}/ran; cat")
    git(root, "config", "filter.a=b.required", "true")
    (root / "a.py").write_text("changed\n")
    assert uncommitted_files(root, FILES) == ("a.py",)
    assert not (tmp_path / "ran").exists()
    git(root, "config", "--unset", "filter.a=b.clean")
    git(root, "config", "--unset", "filter.a=b.required")
    git(root, "config", "--global", "filter.a=b.clean", "sed s/changed/a/")
    assert uncommitted_files(root, FILES) == ()


def test_git_that_cannot_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path / "r")
    (root / ".git/HEAD").write_text("nonsense")
    with pytest.raises(EnvironmentProblem, match="git cannot tell"):
        uncommitted_files(root, FILES)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentProblem, match="git is not installed"):
        uncommitted_files(root, FILES)
    write_tree(tmp_path / "plain", {"a.py": "a\n"})
    assert uncommitted_files(tmp_path / "plain", ["a.py"]) == ()


def test_the_writer_in_a_repository(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    changes = ChangeSet((Rewrite("a.py", b"a\n", b"new\n", ()), Deletion("sub/b.py", b"b\n", ())))
    index = (root / ".git/index").read_bytes()
    (root / "sub/b.py").write_text("b \n")
    (root / "sub/b.py").write_text("b\n")
    apply(root, changes)
    assert (root / ".git/index").read_bytes() == index
    assert not (root / "sub").exists()
    assert recover(root) is None
    assert sorted(p.name for p in (root / ".git").iterdir() if "retire" in p.name) == []
    with pytest.raises(Refused, match=r"uncommitted changes in a\.py"):
        apply(root, ChangeSet((Rewrite("a.py", b"new\n", b"newer\n", ()),)))
    assert (root / "a.py").read_bytes() == b"new\n"


def test_a_file_that_is_edited_past_a_link(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / "link.py").symlink_to("sub/b.py")
    git(root, "add", "link.py")
    git(root, "commit", "-qm", "link")
    (root / "sub/b.py").write_text("changed\n")
    with pytest.raises(Refused, match=r"uncommitted changes in sub/b\.py"):
        apply(root, ChangeSet((Rewrite("link.py", b"changed\n", b"new\n", ()),)))
