"""Displays are taken apart where Python does it."""

from __future__ import annotations

import pytest

from analyzer.errors import UnreadableSource
from codemods.code.display import display_names, find_display
from codemods.code.python_text import PythonText


def text_of(source: str | bytes) -> PythonText:
    return PythonText.of(source if isinstance(source, bytes) else source.encode(), "f.py")


def test_items_end_where_their_values_do() -> None:
    source = text_of('A = {"f": lambda a, b: (a, b), "g": [x, y][0], "h": f"{1, 2}", **{"i": 1}, }\n')
    display = find_display(source, "A")
    assert display is not None
    assert [source.text[item.start : item.end] for item in display.items] == [
        '"f": lambda a, b: (a, b),',
        '"g": [x, y][0],',
        '"h": f"{1, 2}",',
        '**{"i": 1},',
    ]
    assert [item.name for item in display.items] == ["f", "g", "h", None]


def test_the_last_display_of_a_name_counts() -> None:
    source = text_of("A = {1: 2}\nA: list = [3, 'x', ]\nB = A\nC = (1, 2)\n")
    assert display_names(source) == ("A",)
    display = find_display(source, "A")
    assert display is not None
    assert [item.name for item in display.items] == [None, "x"]
    assert find_display(source, "B") is None


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ('x = """\n{"""; A = {1: 2, 3: 4}\n', "no clear tokens"),
        ('x = """\n"""; A = {1: 2, 3: 4}; y = """\n"""\n', "cannot be told apart"),
    ],
)
def test_a_statement_behind_a_text_over_several_lines(source: str, message: str) -> None:
    with pytest.raises(UnreadableSource, match=message):
        find_display(text_of(source), "A")


def test_an_annotation_over_several_lines() -> None:
    display = find_display(text_of("A: dict[\n    str, int\n] = {\n    1: 2,\n}\n"), "A")
    assert display is not None
    assert len(display.items) == 1


@pytest.mark.parametrize(
    "data", [b"", b"x = 1", b"x = 1\n", b"\xef\xbb\xbfx = 1\r\ny = 2\rz = 3", b"# coding: latin-1\n# \xe9"]
)
def test_text_keeps_its_bytes(data: bytes) -> None:
    source = text_of(data)
    assert source.encode() == data
    assert "".join(source.line(number) for number in range(1, source.line_count + 1)) == source.text
