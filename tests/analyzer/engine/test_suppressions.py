"""Comments by which a tree silences a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.suppressions import Suppressions
from analyzer.errors import WrongUse
from analyzer.locations import Location
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path


def silences(folder: Path, text: str, line: int, code: str = "lora") -> bool:
    (folder / "file.py").write_text(text)
    return Suppressions(SourceTree(folder)).silences(code, Location("file.py", line))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("class A: ...  # retire-model: ignore[lora] adapters are off\n", 1),
        ("# retire-model: ignore[lora] adapters are off\nclass A: ...\n", 2),
        ("class A: ...  # noqa: X # retire-model:ignore[quantization, lora] both are off\n", 1),
    ],
)
def test_on_the_line_or_above_it(tmp_path: Path, text: str, line: int) -> None:
    assert silences(tmp_path, text, line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("class A: ...  # retire-model: ignore[lora] reason\nclass B: ...\n", 2),
        ("class A: ...  # retire-model: ignore[conv1d] reason\n", 1),
        ("class A: ...  # retire-model: ignore lora reason\n", 1),
        ("class A: ...\n", 1),
    ],
)
def test_speaks_of_nothing_else(tmp_path: Path, text: str, line: int) -> None:
    assert not silences(tmp_path, text, line)


def test_needs_a_reason(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=r"file\.py:1 ignores lora without a reason"):
        silences(tmp_path, "class A: ...  # retire-model: ignore[lora]\n", 1)


def test_a_file_of_another_tree_has_none(tmp_path: Path) -> None:
    assert not Suppressions(SourceTree(tmp_path)).silences("lora", Location("transformers/x.py", 1))


def test_a_file_that_is_no_text_has_none(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_bytes(b"# retire-model: ignore[lora] \xff\n")
    assert not Suppressions(SourceTree(tmp_path)).silences("lora", Location("file.py", 1))


def test_other_bytes_than_utf_8_and_a_form_feed(tmp_path: Path) -> None:
    text = b"# -*- coding: latin-1 -*-\n# caf\xe9\n\x0c\nclass A: ...  # retire-model: ignore[lora] caf\xe9\n"
    (tmp_path / "file.py").write_bytes(text)
    assert Suppressions(SourceTree(tmp_path)).silences("lora", Location("file.py", 4))
