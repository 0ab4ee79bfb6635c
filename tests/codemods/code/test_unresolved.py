"""Names that a file uses and binds nowhere."""

from __future__ import annotations

import pytest

from codemods.code.unresolved import unresolved_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = 1\nprint(x, __name__)\n", set()),
        ("print(x)\n", {"x"}),
        ("def f():\n    return a\n", {"a"}),
        ("def f(a):\n    return a\n", set()),
        ("def f():\n    a.b = 1\n    return a\n", {"a"}),
        ("def f():\n    global g\n    g = 1\n\ndef h():\n    return g\n", set()),
        ("class A:\n    x = y\n    def f(self):\n        return x\n", {"x", "y"}),
        ("try:\n    import a\nexcept ImportError:\n    a = None\na\n", set()),
        ("[i for i in j]\n", {"j"}),
        ("def f():\n    a = 1\n    return lambda: a + b\n", {"b"}),
        ("def f(x: A) -> B: ...\n", {"A", "B"}),
        ("@d\ndef f(): ...\n", {"d"}),
    ],
)
def test_names(text: str, names: set[str]) -> None:
    assert unresolved_names(text) == names
