"""Values followed through a forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.head_counts import field_names
from analyzer.release.projection_facts import GatedUnit, Projections
from analyzer.release.projections import read_projections
from analyzer.source.classes import ClassResolver
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

HEADER = (
    "class M:\n    def helper(self, t):\n        return t.float()\n"
    "    def forward(self, x, mask=None, past_key_values=None):\n"
)
LINEARS = ("q", "k", "v", "o")
ATTEND = "f = ALL_ATTENTION_FUNCTIONS.get_interface(self.config.x, eager)"


def follow(folder: Path, body: str, **switches: bool) -> Projections:
    code = "".join(f"        {line}\n" for line in body.split("\n"))
    (folder / "m.py").write_text(HEADER + code)
    resolver = ClassResolver(SourceTree(folder))
    source = resolver.find_class("m.py", "M")
    assert source is not None
    forward, helper = resolver.method(source, "forward"), resolver.method(source, "helper")
    assert forward is not None
    assert helper is not None
    fields = field_names({})
    return read_projections(
        forward, {"helper": helper}, LINEARS, ("experts",), {}, fields, switches, {}, lambda _file, _name: None
    )


def origins(found: Projections, linear: str) -> set[str]:
    return set(next(c.origins for c in found.linear_calls if c.linear == linear))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y = self.q(x)\nreturn self.o(y)", {"linear q"}),
        ("y = self.q(x).view(1, -1).transpose(1, 2)\nreturn self.o(y)", {"linear q"}),
        ("y = self.norm(self.q(x))\nreturn self.o(y)", {"linear q", "through norm"}),
        ("y = self.helper(self.q(x))\nreturn self.o(y)", {"linear q"}),
        ("a, b = self.q(x).chunk(2)\nreturn self.o(b)", {"linear q"}),
        ("a, b = self.q(x), self.k(x)\nreturn self.o(b)", {"linear k"}),
        ("y = torch.cat((self.q(x), self.k(x)))\nreturn self.o(y)", {"linear q", "linear k"}),
        ("y = self.q(x) + self.k(x)\nreturn self.o(y)", {"linear q", "linear k"}),
        ("y = self.experts(self.q(x))\nreturn self.o(y)", {"module experts"}),
        ("if mask is None:\n    y = self.q(x)\nelse:\n    y = self.k(x)\nreturn self.o(y)", {"linear q", "linear k"}),
        ("y = self.q(x)\nif past_key_values is not None:\n    y = self.k(y)\nreturn self.o(y)", {"linear q"}),
        ("y = self.q(x) if self.flag else self.k(x)\nreturn self.o(y)", {"linear k"}),
        ("for part in self.q(x):\n    y = part\nreturn self.o(y)", {"linear q"}),
        ("y = [self.q(t) for t in x][0]\nreturn self.o(y)", {"linear q"}),
        (f"{ATTEND}\ny, _ = f(self, self.q(x), self.k(x), self.v(x), mask)\nreturn self.o(y)", {"attention"}),
        ("y = x.size(0)\nz = x.shape[0]\nreturn self.o(y + z)", set()),
    ],
)
def test_origins(tmp_path: Path, body: str, expected: set[str]) -> None:
    assert origins(follow(tmp_path, body, flag=False), "o") == expected


def test_a_parameter_read_as_it_is(tmp_path: Path) -> None:
    found = follow(tmp_path, "a = self.q(x)\nb = self.k(x * 2)\nreturn a")
    assert [(c.linear, c.parameter) for c in found.linear_calls] == [("q", "x"), ("k", None)]


@pytest.mark.parametrize(
    ("test", "traced"),
    [("mask is not None", True), ("x.sum() > 0", False), ("not (x[0] == 1 and True)", False), ("self.flag", True)],
)
def test_where_a_trace_ends(tmp_path: Path, test: str, traced: bool) -> None:
    found = follow(tmp_path, f"a = self.q(x)\nif {test}:\n    pass\nreturn self.o(a)")
    assert [c.traced for c in found.linear_calls] == [True, traced]
    assert found.returned_traced is traced


def test_attention_by_keywords(tmp_path: Path) -> None:
    found = follow(tmp_path, f"{ATTEND}\ny = f(self, self.q(x), value=self.v(x), key=self.k(x))\nreturn y")
    (call,) = found.attention_calls
    assert [set(part) for part in (call.query, call.key, call.value)] == [{"linear q"}, {"linear k"}, {"linear v"}]
    assert found.returned == {"attention"}


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ("return self.q(x).view(1, 8, self.config.num_attention_heads, -1)", True),
        ("shape = (*x.shape[:-1], self.config.num_attention_heads, 4)\nreturn self.q(x).view(shape)", True),
        ("shape = x.shape[:-1] + (-1, 4)\nreturn self.q(x).view(*shape)", False),
        ("return self.q(x).reshape(1, -1)", False),
    ],
)
def test_reshapes(tmp_path: Path, body: str, counts: bool) -> None:
    (reshape,) = follow(tmp_path, body).reshapes
    assert reshape.counts_heads is counts


@pytest.mark.parametrize(
    ("body", "direct"),
    [
        ("return self.q(x).split((1, 2, 2), dim=-1)", True),
        ("y = self.q(x)\nreturn y.split((1, 2, 2), dim=-1)", False),
        ("return self.q(x).chunk(3)", False),
        ("return torch.split(self.q(x), [1, 2], dim=-1)", False),
    ],
)
def test_cuts(tmp_path: Path, body: str, direct: bool) -> None:
    (cut,) = follow(tmp_path, body).cuts
    assert cut.direct is direct
    assert set(cut.origins) == {"linear q"}


@pytest.mark.parametrize(
    ("body", "unit"),
    [
        ("return self.o(self.act(self.q(x)) * self.k(x))", GatedUnit("q", "k", "act")),
        ("return self.o(self.k(x) * self.act(self.q(x)))", GatedUnit("q", "k", "act")),
        ("return self.o(silu(self.q(x)) * self.k(x))", None),
        ("g = self.q(x)\nreturn self.o(self.act(g) * self.k(x))", None),
    ],
)
def test_gated_units(tmp_path: Path, body: str, unit: GatedUnit | None) -> None:
    assert follow(tmp_path, body).gated == unit
