"""A file is decoded as Python does it, or refused in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import UnreadableSource
from analyzer.source.source_tree import parse_python
from codemods.code.python_text import PythonText

if TYPE_CHECKING:
    import ast

LATIN = b"# -*- coding: latin-1 -*-\nx = 1  # caf\xe9\n"


def test_a_declared_encoding() -> None:
    text = PythonText.of(LATIN, "f.py")
    assert "caf\xe9" in text.text
    assert text.encode() == LATIN


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"# caf\xe9\nx = 1\n", "f.py is not what its encoding says"),
        (b"\n\nx = 1\n# caf\xe9\n", "f.py:4 is not utf-8"),
        (b"# coding: ascii\n\nx = 1\n# caf\xe9\n", "f.py"),
        (b"# coding: rot13\nx = 1\n", "f.py"),
        (b"# coding: nosuch\nx = 1\n", "f.py"),
        (b"# coding: undefined\nx = 1\n", "f.py"),
        (b"# coding: base64\nx = 1\n", "f.py"),
        (b"x = (\n", "f.py:1 is not valid Python"),
        (b"x = 1 #\0\n", "f.py"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, problem: str) -> None:
    with pytest.raises(UnreadableSource, match=problem) as caught:
        PythonText.of(data, "f.py")
    assert caught.value.remedy


def test_text_that_the_encoding_cannot_write() -> None:
    text = PythonText.of(LATIN, "f.py")
    with pytest.raises(UnreadableSource, match=r"f\.py is iso-8859-1, which cannot write '.u2705'"):
        text.spliced(len(text.text), len(text.text), "# \u2705").encode()


def test_what_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counting(data: bytes | str, file: str) -> ast.Module:
        parsed.append(file)
        return parse_python(data, file)

    monkeypatch.setattr("codemods.code.python_text.parse_python", counting)
    assert len(PythonText.of(LATIN, "f.py").module.body) == 1
    assert parsed == ["f.py"]
