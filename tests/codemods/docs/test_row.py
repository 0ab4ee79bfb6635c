"""A row's cells are those that the Markdown parser sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.engine.docs_tables import tables_of
from codemods.docs.row import cell, cell_spans, with_names, with_tick


@pytest.mark.parametrize(
    ("row", "column", "tick", "expected"),
    [
        ("| a | b | |", 2, "✅︎", "| a | b | ✅︎ |"),
        ("| a | b | ✅︎ |", 2, "", "| a | b | |"),
        ("| a | ✅︎ (see note) | |", 1, "✅︎", "| a | ✅︎ (see note) | |"),
        ("| a | ✅︎ (see note) | |", 1, "", "| a | | |"),
        ("| a   | b   |     |", 2, "", "| a   | b   |     |"),
        ("| a |", 2, "✅︎", "| a | | ✅︎ |"),
        ("| a |", 2, "", "| a |"),
        ("a | b", 2, "x", "a | b | x |"),
        ("a | b", 1, "x", "a | x "),
        (r"| a \| b | c |", 1, "x", r"| a \| b | x |"),
    ],
)
def test_with_tick(row: str, column: int, tick: str, expected: str) -> None:
    assert with_tick(row, column, tick) == expected


def test_with_names() -> None:
    row = "| `A`<sup>C</sup>, `B, C`, `D`, etc. | text |"
    assert with_names(row, frozenset({"A", "D"}), keep=True) == "| `A`<sup>C</sup>, `D` | text |"
    assert with_names(row, frozenset({"A", "D"}), keep=False) == "| `B, C`, etc. | text |"
    assert with_names("`A`, `B` | `x`, `A`", frozenset({"A"}), keep=False) == " `B` | `x`, `A`"


@given(st.lists(st.text(alphabet="ab|\\` é", max_size=6), min_size=3, max_size=3), st.booleans())
def test_cells_are_those_of_the_parser(cells: list[str], piped: bool) -> None:
    row = "|".join(cells)
    row = f"|{row}|" if piped else f"x{row}x"
    tables = tables_of(f"| a | b | c |\n|---|---|---|\n{row}\n")
    for found in tables[0].rows if tables else ():
        for column, content in enumerate(found.cells):
            assert cell(row, column).replace("\\|", "|") == content
        assert len(cell_spans(row)) >= 1
