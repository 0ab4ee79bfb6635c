"""The check behind every edit of a display notices what must not change."""

from __future__ import annotations

import pytest

from analyzer.errors import BrokenEdit
from codemods.code.display_check import Intent, check_displays
from codemods.code.python_text import PythonText

BEFORE = """\
# heading
A = {
    # heading
    "a": ("x", "y"),  # a
    "b": "1",
    **C,
    d: "2",
}
B: list = ["a", "b", c]
x = 1
"""


def check(after: str, intent: Intent, before: str = BEFORE) -> None:
    check_displays(PythonText.of(before.encode(), "f.py"), PythonText.of(after.encode(), "f.py"), intent)


def test_what_is_intended_passes() -> None:
    after = BEFORE.replace('    "a": ("x", "y"),  # a\n', '    # heading\n    "e": ("x", "z"),\n').replace('"a", ', "")
    check(after, Intent({("A", "a"), ("B", "a")}, {("A", "e"): ("x", "z")}, ["# a"]))
    check(BEFORE, Intent())


@pytest.mark.parametrize(
    ("after", "intent", "message"),
    [
        (BEFORE + "y = 2\n", Intent(), "number of statements"),
        (BEFORE.replace("x = 1", "x = 2"), Intent(), "statement in line 10"),
        (BEFORE.replace("A = {", "Z = {"), Intent(), "statement in line 2"),
        (BEFORE.replace("[", "(").replace("]", ")"), Intent(), "statement in line 9"),
        (BEFORE.replace('    "b": "1",\n', ""), Intent(), "other items of A"),
        (BEFORE.replace('"b": "1"', '"b": "2"'), Intent({("A", "a")}), "other items of A"),
        (BEFORE.replace("**C", "**D"), Intent(), "other items of A"),
        (BEFORE.replace('"b": "1"', '"e": "1"'), Intent({("A", "b")}, {("A", "e"): "2"}), "what A holds"),
        (BEFORE.replace("# a\n", "\n"), Intent(), "its comments"),
        (BEFORE.replace("# a\n", "# b\n"), Intent(), "its comments"),
        (BEFORE.replace("# a\n", "# a # a\n"), Intent(), "its comments"),
    ],
)
def test_anything_else_is_noticed(after: str, intent: Intent, message: str) -> None:
    with pytest.raises(BrokenEdit, match=message):
        check(after, intent)
