"""Which attributes count heads."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from analyzer.release.head_counts import CONSTANT, Width, attribute_widths, field_names, width_of
from analyzer.source.classes import ClassSource, Method

if TYPE_CHECKING:
    from collections.abc import Mapping


def widths(code: str, attribute_map: Mapping[str, str] | None = None) -> dict[str, Width]:
    text = "class A:\n    def __init__(self, config, num_heads=4):\n" + "".join(
        f"        {c}\n" for c in code.split("; ")
    )
    tree = ast.parse(text)
    cls = tree.body[0]
    assert isinstance(cls, ast.ClassDef)
    init = cls.body[0]
    assert isinstance(init, ast.FunctionDef)
    return attribute_widths([Method(init, ClassSource("a.py", cls))], field_names(attribute_map or {}))


@pytest.mark.parametrize(
    ("code", "counts"),
    [
        ("self.x = config.num_attention_heads", True),
        ("self.x = config.num_key_value_heads", True),
        ("self.x = config.hidden_size", True),
        ("self.x = config.head_dim", False),
        ("self.x = config.hidden_size // config.num_attention_heads", False),
        ("self.n = config.num_attention_heads; self.x = config.hidden_size // self.n", False),
        (
            "self.d = config.hidden_size // config.num_attention_heads; self.x = self.d * config.num_key_value_heads",
            True,
        ),
        ("self.x = config.num_attention_heads // config.num_key_value_heads", False),
        ('self.x = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads', False),
        ("self.x = config.hidden_size + 2 * config.num_key_value_heads * config.head_dim", True),
        ("self.x = int(config.hidden_size / config.num_attention_heads)", False),
        ("self.x = 1 if config.multi_query else config.num_attention_heads", False),
        ("d = config.n_embd; self.x = d", True),
        ("self.x = num_heads", True),
        ("self.x = config.head_dim**-0.5; self.x = 3", False),
    ],
)
def test_counting(code: str, counts: bool) -> None:
    assert widths(code)["x"].counts_heads is counts


def test_names_of_the_configuration_itself() -> None:
    assert widths("self.x = config.dims", {"hidden_size": "dims"})["x"].counts_heads


def test_what_is_no_width_is_unknown() -> None:
    assert "x" not in widths("self.x = config.eps")
    assert width_of(ast.parse("f(1)", mode="eval").body, {}, {}, {}) is None
    assert width_of(ast.parse("7", mode="eval").body, {}, {}, {}) == CONSTANT
