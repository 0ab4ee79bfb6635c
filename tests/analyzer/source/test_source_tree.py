"""Only what can be read to an end is read: a pipe in a tree holds up nothing."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import UnreadableSource
from analyzer.source.regular_files import LARGEST_FILE
from analyzer.source.source_scan import files_mentioning
from analyzer.source.source_tree import LARGEST_PYTHON, SourceTree
from codemods.writing.recovery import digest_of

if TYPE_CHECKING:
    from pathlib import Path


def make_pipe(path: Path) -> None:
    """A pipe, and a writer that lets a reader go at once: a test fails where it would hang."""
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(b"",), daemon=True).start()


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    make_pipe(tmp_path / "pipe.py")
    tree = SourceTree(tmp_path)
    assert not tree.exists("pipe.py")
    with pytest.raises(UnreadableSource, match=r"cannot read pipe\.py: it is not a regular file"):
        tree.read("pipe.py")
    with pytest.raises(OSError, match="not a regular file"):
        digest_of(tmp_path / "pipe.py")


def test_a_walk_passes_over_pipes_and_links(tmp_path: Path) -> None:
    make_pipe(tmp_path / "pipe.py")
    (tmp_path / "real.py").write_text("name = 1\n")
    (tmp_path / "link.py").symlink_to("real.py")
    assert list(SourceTree(tmp_path).walk("", frozenset({".py"}))) == ["real.py"]
    assert [file for file, _ in files_mentioning(tmp_path, frozenset({b"name"}))] == ["real.py"]


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    with (tmp_path / "large.py").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(UnreadableSource, match="larger than"):
        SourceTree(tmp_path).read("large.py")
    with pytest.raises(UnreadableSource, match="larger than"):
        list(files_mentioning(tmp_path, frozenset({b"name"})))


@pytest.mark.parametrize("item", ["1, ", "1,\n"], ids=["one line", "many lines"])
def test_a_file_that_is_too_large_is_not_parsed(tmp_path: Path, item: str) -> None:
    (tmp_path / "a.py").write_text(f"x = [\n{item * (LARGEST_PYTHON // len(item))}]\n")
    with pytest.raises(UnreadableSource, match=r"a\.py is larger than 2097152 bytes, and is not parsed"):
        SourceTree(tmp_path).parse("a.py")
    (tmp_path / "a.py").write_text(f"x = [\n{item * 1000}]\n")
    assert len(SourceTree(tmp_path).parse("a.py").body) == 1


def test_a_fact_is_found_once_for_each_question(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\n")
    tree = SourceTree(tmp_path)
    asked: list[bytes] = []

    def length(data: bytes) -> int:
        asked.append(data)
        return len(data)

    assert [tree.fact("a.py", "length", length) for _ in range(2)] == [6, 6]
    assert asked == [b"x = 1\n"]
    assert tree.fact("a.py", "lines", lambda data: data.count(b"\n")) == 1
    with pytest.raises(UnreadableSource):
        tree.fact("b.py", "length", length)


@pytest.mark.parametrize("file", ["out/a.py", "out/deeper/a.py", "inside/../../a.py", "/etc/passwd", "a\0b"])
def test_no_path_leads_out_by_a_link_above_it(tmp_path: Path, file: str) -> None:
    (tmp_path / "elsewhere/deeper").mkdir(parents=True)
    for folder in ("elsewhere", "elsewhere/deeper"):
        (tmp_path / folder / "a.py").write_bytes(b"")
    root = tmp_path / "root"
    (root / "inside").mkdir(parents=True)
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "near").symlink_to("inside")
    (root / "inside/a.py").write_bytes(b"")
    tree = SourceTree(root)
    assert tree.read("near/a.py") == b""
    assert not tree.exists(file)
    with pytest.raises(UnreadableSource, match="leads out of"):
        tree.read(file)


@pytest.mark.parametrize("file", ["a" * 300 + ".py", "a/" * 3000 + "b.py"])
def test_a_name_that_is_too_long_is_of_no_file(tmp_path: Path, file: str) -> None:
    tree = SourceTree(tmp_path)
    assert tree.locate(file) == tmp_path / file
    assert not tree.exists(file)
    with pytest.raises(UnreadableSource, match="cannot read"):
        tree.read(file)
