"""What a configuration holds by default, worked out without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.configuration_defaults import UNKNOWN, ConfigurationDefaults
from analyzer.source.classes import ClassResolver
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

FILE = "transformers/models/toy/configuration_toy.py"
FIELDS = "    num_hidden_layers: int = 6\n    layer_types: list[str] | None = None\n"


def defaults(folder: Path, body: str) -> ConfigurationDefaults:
    (folder / FILE).parent.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(f"class ToyConfig(Base):\n{FIELDS}{body}")
    resolver = ClassResolver(SourceTree(folder))
    source = resolver.find_class(FILE, "ToyConfig")
    assert source is not None
    return ConfigurationDefaults(resolver, source)


def after(folder: Path, *lines: str) -> ConfigurationDefaults:
    code = "".join(f"        {line}\n" for line in lines)
    return defaults(folder, f"    def __post_init__(self, **kwargs):\n{code}")


def test_fields_and_what_is_missing(tmp_path: Path) -> None:
    found = defaults(tmp_path, "    rate: float = -0.5\n    made = make()\n")
    assert (found.get("num_hidden_layers"), found.get("rate"), found.get("layer_types")) == (6, -0.5, None)
    assert found.get("made") is UNKNOWN
    assert found.get("absent") is UNKNOWN
    assert repr(UNKNOWN) == "UNKNOWN"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('["full" if (i + 1) % 3 == 0 else "sliding" for i in range(self.num_hidden_layers)]', ["sliding", "full"]),
        ('["linear"] * self.num_hidden_layers', ["linear"]),
        ('list(("a", "b") * 100)[: self.num_hidden_layers]', ["a", "b"]),
        ('["x" for i in range(9) if i > 7 and not i % 2]', ["x"]),
        ('kwargs.pop("types", None) or ["y"]', ["y"]),
        ('kwargs.get("types", ["z"])', ["z"]),
        ('getattr(self, "nothing", ["w"])', ["w"]),
        ('remap_legacy_layer_types(["v"])', ["v"]),
        ('[{"a": "u"}["a"]]', ["u"]),
    ],
)
def test_layer_types(tmp_path: Path, expression: str, value: list[str]) -> None:
    found = after(tmp_path, "if self.layer_types is None:", f"    self.layer_types = {expression}").get("layer_types")
    assert list(dict.fromkeys(found)) == value


def test_loops_and_assignments_to_parts(tmp_path: Path) -> None:
    found = after(
        tmp_path,
        'self.layer_types = ["linear"] * 3',
        "for i in range(3):",
        "    if i == 1:",
        '        self.layer_types[i] = "full"',
        "first, second = self.layer_types[:2]",
        "self.second = second",
    )
    assert found.get("layer_types") == ["linear", "full", "linear"]
    assert found.get("second") == "full"


def test_a_property_and_an_attribute_map(tmp_path: Path) -> None:
    body = (
        '    attribute_map = {"layer_count": "num_hidden_layers"}\n'
        "    @property\n    def kinds(self):\n        if self.layer_count > 5:\n            return ['many']\n"
        "        return ['few']\n"
    )
    found = defaults(tmp_path, body)
    assert found.get("layer_count") == 6
    assert found.get("kinds") == ["many"]


def test_a_constructors_arguments(tmp_path: Path) -> None:
    body = (
        "    def __init__(self, width=8, *, depth=2, other):\n"
        "        self.area = width * depth\n        self.o = other\n"
    )
    found = defaults(tmp_path, body)
    assert found.get("area") == 16
    assert found.get("o") is UNKNOWN


def test_what_cannot_be_decided_is_unknown(tmp_path: Path) -> None:
    found = after(
        tmp_path,
        "if outside():",
        "    self.layer_types = [1]",
        "for x in outside():",
        "    self.num_hidden_layers = 1",
    )
    assert found.get("layer_types") is UNKNOWN
    assert found.get("num_hidden_layers") is UNKNOWN


@pytest.mark.parametrize(
    "expression",
    [
        "[0] * 10**9",
        "list(range(10**9))",
        "'x' * 9999999",
        "1 / 0",
        "[1][5]",
        "{}['a']",
        "[x for x in [1] if y]",
        "f'{1}'",
    ],
)
def test_hostile_or_broken_code_is_unknown(tmp_path: Path, expression: str) -> None:
    assert after(tmp_path, f"self.layer_types = {expression}").get("layer_types") is UNKNOWN


def test_endless_code_ends(tmp_path: Path) -> None:
    nested = [f"{'    ' * depth}for a{depth} in range(4000):" for depth in range(4)]
    found = after(tmp_path, *nested, "                self.layer_types = 1", "self.last = 2")
    assert found.get("last") in (2, UNKNOWN)
