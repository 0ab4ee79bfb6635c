"""What the writer keeps, and what it refuses."""

from __future__ import annotations

import fcntl
import os
import threading
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem, Interrupted, Refused
from codemods.edits import ChangeSet, Creation, Deletion, Edit, Rewrite
from codemods.writing import writer
from codemods.writing.disk import Disk
from codemods.writing.journal import IN_TREE, ForeignJournal, digest
from codemods.writing.writer import Outcome, Recovery
from tests.codemods.applying import apply, recover, write_journal
from tests.codemods.faulty_disk import FaultyDisk, snapshot, tree_and_changes
from tests.codemods.small_tree import write_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def rewrite(file: str = "a.py", before: bytes = b"old\n", after: bytes = b"new\n") -> ChangeSet:
    return ChangeSet((Rewrite(file, before, after, ()),))


def tree(folder: Path) -> Path:
    root = folder / "tree"
    write_tree(root, {"a.py": "old\n", "sub/b.py": "b\n"})
    return root


def test_a_change_set_is_applied(tmp_path: Path) -> None:
    root, changes = tree_and_changes(tmp_path)
    apply(root, changes)
    now = snapshot(root)
    assert now["a/file0.py"] == (0o754, b"new\n" * 99)
    assert now["a/new.py"] == (0o666 & ~umask(), b"created")
    assert now["c/d/new.py"] == (0o666 & ~umask(), b"created too")
    assert set(now) == {*(f"a/file{n}.py" for n in range(6)), "a", "a/new.py", "c", "c/d", "c/d/new.py", "other.py"}
    assert recover(root) is None


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_what_proves_it_sees_the_changes_in_place(tmp_path: Path) -> None:
    root, changes = tree_and_changes(tmp_path)
    seen: list[bytes] = []
    apply(root, changes, prove=lambda: seen.append((root / "a/file0.py").read_bytes()))
    assert seen == [b"new\n" * 99]
    assert snapshot(root)["a/file0.py"] == (0o754, b"new\n" * 99)


@pytest.mark.parametrize(
    ("error", "raised"), [(Refused("a check failed"), Refused), (KeyboardInterrupt(), Interrupted)]
)
def test_a_proof_that_fails_undoes_all_of_it(tmp_path: Path, error: BaseException, raised: type[BaseException]) -> None:
    root, changes = tree_and_changes(tmp_path)
    before = snapshot(root)

    def prove() -> None:
        raise error

    with pytest.raises(raised):
        apply(root, changes, prove=prove)
    assert snapshot(root) == before
    assert recover(root) is None


def test_nothing_to_do(tmp_path: Path) -> None:
    root = tree(tmp_path)
    before = snapshot(root)
    apply(root, ChangeSet(()))
    assert snapshot(root) == before


def test_a_link_inside_the_tree_stays_a_link(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (root / "link.py").symlink_to("sub/b.py")
    apply(root, rewrite("link.py", b"b\n"))
    assert (root / "link.py").is_symlink()
    assert (root / "sub/b.py").read_bytes() == b"new\n"


def test_folders_with_other_files_stay(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (root / "sub/__pycache__").mkdir()
    apply(root, ChangeSet((Deletion("sub/b.py", b"b\n", ()),)))
    assert (root / "sub/__pycache__").is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_owners_are_kept(tmp_path: Path) -> None:
    root = tree(tmp_path)
    os.chown(root / "a.py", 12345, 54321)
    (root / "a.py").chmod(0o2755)
    apply(root, rewrite())
    now = (root / "a.py").stat()
    assert (now.st_uid, now.st_gid, now.st_mode & 0o7777) == (12345, 54321, 0o2755)


def test_an_owner_that_cannot_be_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(tmp_path)

    class OthersFile(Disk):
        def write(
            self, path: Path, data: bytes, like: os.stat_result | None = None, permissions: int | None = None
        ) -> None:
            assert like is not None or path.parent.name == IN_TREE
            strange = [*(like or os.stat_result(range(10)))]
            strange[4] += 1
            super().write(path, data, like and os.stat_result(strange), permissions)

    def refuse(*_: object) -> None:
        raise PermissionError(1, "not yours")

    monkeypatch.setattr(os, "fchown", refuse)
    apply(root, rewrite(), OthersFile())
    assert (root / "a.py").read_bytes() == b"new\n"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Rewrite("a.py", b"other\n", b"", ()), r"a\.py changed since the plan was made"),
        (Rewrite("missing.py", b"", b"", ()), r"cannot read missing\.py"),
        (Rewrite("sub", b"", b"", ()), "not a regular file"),
        (Rewrite("../out.py", b"out\n", b"", ()), "leads out of"),
        (Rewrite("/etc/hostname", b"", b"", ()), "leads out of"),
        (Rewrite("out/out.py", b"out\n", b"", ()), "leads out of"),
        (Deletion("out.py", b"out\n", ()), "leads out of"),
        (Deletion("link.py", b"old\n", ()), r"link\.py is a link to"),
        (Creation("a.py", b"", ()), r"a\.py exists already"),
        (Creation("sub/../../new.py", b"", ()), "leads out of"),
        (Rewrite("read_only.py", b"r\n", b"", ()), "is read-only"),
        (Rewrite("waiting.py", b"w\n", b"", ()), "is in the way"),
    ],
)
def test_refusals(tmp_path: Path, edit: Edit, message: str) -> None:
    root = tree(tmp_path)
    write_tree(root, {"read_only.py": "r\n", "waiting.py": "w\n", ".waiting.py.retire-model-before": "?"})
    (root / "read_only.py").chmod(0o444)
    (tmp_path / "out.py").write_text("out\n")
    (root / "out").symlink_to(tmp_path)
    (root / "out.py").symlink_to(tmp_path / "out.py")
    (root / "link.py").symlink_to("a.py")
    before = snapshot(tmp_path)
    with pytest.raises(Refused, match=message):
        apply(root, ChangeSet((Rewrite("sub/b.py", b"b\n", b"new\n", ()), edit)))
    assert snapshot(tmp_path) == before


def test_one_file_by_two_names(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (root / "link.py").symlink_to("a.py")
    with pytest.raises(Refused, match="one and the same"):
        apply(root, ChangeSet((*rewrite().edits, *rewrite("link.py").edits)))


def test_a_file_that_changes_at_the_last_moment(tmp_path: Path) -> None:
    root = tree(tmp_path)

    class Late(Disk):
        def keep(self, path: Path, backup: Path) -> None:
            path.write_bytes(b"somebody else's\n")
            super().keep(path, backup)

    with pytest.raises(Refused, match="changed since the plan"):
        apply(root, rewrite(), Late())
    assert (root / "a.py").read_bytes() == b"somebody else's\n"
    assert sorted(path.name for path in root.iterdir()) == ["a.py", "sub"]


def test_two_runs_at_once(tmp_path: Path) -> None:
    root = tree(tmp_path)
    reached, go_on = threading.Event(), threading.Event()

    class Slow(Disk):
        def keep(self, path: Path, backup: Path) -> None:
            reached.set()
            assert go_on.wait(20)
            super().keep(path, backup)

    first = threading.Thread(target=apply, args=(root, rewrite(), Slow()))
    first.start()
    assert reached.wait(20)
    refused: list[Callable[[], object]] = [lambda: apply(root, rewrite("sub/b.py", b"b\n")), lambda: recover(root)]
    for second in refused:
        with pytest.raises(Refused, match="another run is at work"):
            second()
    go_on.set()
    first.join()
    assert snapshot(root)["a.py"] == (0o666 & ~umask(), b"new\n")
    assert sorted(path.name for path in root.iterdir()) == ["a.py", "sub"]


def test_a_lock_whose_file_was_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(tmp_path)

    def unlink_first(*_: int) -> None:
        (root / IN_TREE / "lock").unlink()

    monkeypatch.setattr(fcntl, "flock", unlink_first)
    with pytest.raises(Refused, match="another run is at work"):
        apply(root, rewrite())


def test_an_open_journal_refuses_the_next_run(tmp_path: Path) -> None:
    root = tree(tmp_path)
    write_journal(root)
    with pytest.raises(Refused, match="an earlier run on this tree was cut off"):
        apply(root, rewrite())
    assert recover(root) == Recovery(Outcome.UNDONE, ())
    apply(root, rewrite())


def test_a_file_that_somebody_changed_after_the_cut(tmp_path: Path) -> None:
    root, backup = half_done(tmp_path)
    (root / "a.py").write_bytes(b"theirs\n")
    with pytest.raises(Refused, match="was changed after a run that was cut off") as caught:
        recover(root)
    assert str(backup) in caught.value.problem
    assert (root / "a.py").read_bytes() == b"theirs\n"
    backup.unlink()
    assert recover(root) == Recovery(Outcome.UNDONE, ("a.py",))
    assert (root / "a.py").read_bytes() == b"theirs\n"
    assert recover(root) is None


def test_a_created_file_that_somebody_changed_after_the_cut(tmp_path: Path) -> None:
    root = tree(tmp_path)
    entry: dict[str, str | None] = {"file": "new.py", "before": None, "after": "0" * 64}
    write_journal(root, entry)
    (root / "new.py").write_text("theirs")
    assert recover(root) == Recovery(Outcome.UNDONE, ("new.py",))
    assert (root / "new.py").read_text() == "theirs"


def half_done(folder: Path) -> tuple[Path, Path]:
    """A tree in which one file was rewritten and the journal is open."""
    root = tree(folder)
    apply(root, rewrite())
    backup = root / ".a.py.retire-model-before"
    backup.write_bytes(b"old\n")
    entry: dict[str, str | None] = {"file": "a.py", "before": digest(b"old\n"), "after": digest(b"new\n")}
    write_journal(root, entry)
    return root, backup


def test_a_disk_that_fails_in_recovery(tmp_path: Path) -> None:
    root, _ = half_done(tmp_path)
    with pytest.raises(EnvironmentProblem, match="cannot recover"):
        recover(root, FaultyDisk(3, for_good=True))
    assert recover(root) == Recovery(Outcome.UNDONE, ("a.py",))
    assert (root / "a.py").read_bytes() == b"old\n"


@pytest.mark.parametrize("file", ["../out.py", "/etc/hostname", "out/out.py", "out.py"])
def test_a_hostile_journal_stays_in_the_tree(tmp_path: Path, file: str) -> None:
    root = tree(tmp_path)
    (tmp_path / "out.py").write_text("out\n")
    (tmp_path / ".out.py.retire-model-before").write_text("hostile\n")
    (root / "out").symlink_to(tmp_path)
    (root / "out.py").symlink_to(tmp_path / "out.py")
    entry: dict[str, str | None] = {"file": file, "before": "1" * 64, "after": "0" * 64}
    for state in ("open", "done"):
        journal = write_journal(root, entry, state=state)
        with pytest.raises(Refused, match="leads out of"):
            recover(root)
        journal.unlink()
    assert (tmp_path / "out.py").read_text() == "out\n"
    assert (tmp_path / ".out.py.retire-model-before").exists()


def test_a_journal_folder_that_leads_elsewhere(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (root / IN_TREE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="is a link"):
        apply(root, rewrite())
    # Who only reads goes on, with a word.
    found = writer.recover(root, b"k" * 32)
    assert isinstance(found, ForeignJournal)
    assert found.problem.endswith("it is a link")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_git_folder_that_is_a_link_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codemods.writing.writer.uncommitted_files", lambda *_: ())
    root = tree(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (root / ".git").symlink_to(tmp_path / "elsewhere")
    apply(root, rewrite())
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_that_cannot_be_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tree(tmp_path)
    real = os.fsync

    def files_only(descriptor: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):  # noqa: PTH112
            raise OSError(22, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", files_only)
    apply(root, rewrite())
    assert (root / "a.py").read_bytes() == b"new\n"
