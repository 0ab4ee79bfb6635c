"""Edits shown as differences that git would take."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from codemods.edits import Creation, Deletion, Edit, Rewrite
from retire_model.reports.differences import count_lines, unified_diff

if TYPE_CHECKING:
    from pathlib import Path

CASES: list[tuple[bytes, bytes]] = [
    (b"a\nb\nc\n", b"a\nc\n"),
    (b"a\r\nb\r\n", b"a\r\nB\r\n"),
    (b"no end", b"no end either"),
    (b"a\nno end", b"a\n"),
    (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"),
    (b"form\x0cfeed\nb\n", b"form\x0cfeed\nc\n"),
    (b"latin \xe9\n", b"latin \xe9\xe9\n"),
    (b"", b"a\n"),
]


@pytest.mark.parametrize(("before", "after"), CASES)
def test_git_applies_it(tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / "file.txt").write_bytes(before)
    patch = unified_diff(Rewrite("file.txt", before, after, ())).encode("utf-8", "surrogateescape")
    subprocess.run(["git", "apply", "-p1", "-"], input=patch, cwd=tmp_path, check=True)
    assert (tmp_path / "file.txt").read_bytes() == after


@pytest.mark.parametrize(
    ("edit", "counts"),
    [
        (Rewrite("f", b"a\nb\n", b"a\nc\nd\n", ()), (2, 1)),
        (Rewrite("f", b"-- a\n", b"++ a\n", ()), (1, 1)),
        (Creation("f", b"a\nb", ()), (2, 0)),
        (Deletion("f", b"a\nb\n", ()), (0, 2)),
    ],
)
def test_counts(edit: Edit, counts: tuple[int, int]) -> None:
    assert count_lines(edit) == counts


def test_creations_and_deletions_name_the_null_device() -> None:
    assert unified_diff(Creation("f", b"a\n", ())).startswith("--- /dev/null\n+++ b/f\n")
    assert unified_diff(Deletion("f", b"a\n", ())).startswith("--- a/f\n+++ /dev/null\n")
