"""How a decoder goes over its layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.layer_passes import LayerPasses, read_layer_passes
from analyzer.source.classes import ClassResolver
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path


def passes(folder: Path, body: str) -> LayerPasses:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    (folder / "model.py").write_text(f"class Model:\n    def forward(self, x):\n{lines}        return x\n")
    resolver = ClassResolver(SourceTree(folder))
    source = resolver.find_class("model.py", "Model")
    assert source is not None
    return read_layer_passes(resolver, source, ["layers"])


@pytest.mark.parametrize(
    "body",
    [
        "for layer in self.layers:\n    x = layer(x)",
        "for layer in self.layers[: self.depth]:\n    x = layer(x)",
        "for i, (layer, kind) in enumerate(zip(self.layers, self.kinds)):\n    x = layer(x)",
        "for i in range(len(self.layers)):\n    x = self.layers[i](x)",
        "if x:\n    for layer in self.layers:\n        x()\nelse:\n    for layer in self.layers:\n        x()",
        "with no_grad():\n    for layer in self.layers[::2]:\n        x = layer(x)",
        "for other in reversed(self.blocks):\n    x = other(x)",
    ],
)
def test_once_and_in_order(tmp_path: Path, body: str) -> None:
    assert passes(tmp_path, body) == LayerPasses()


@pytest.mark.parametrize(
    "body",
    [
        "for _ in range(2):\n    for layer in self.layers:\n        x = layer(x)",
        "while x:\n    if x:\n        with x:\n            for layer in self.layers:\n                x = layer(x)",
        "for layer in [*self.layers, *self.layers]:\n    x = layer(x)",
        "for layer in list(self.layers) * 2:\n    x = layer(x)",
        "for layer in itertools.chain(self.layers, self.layers):\n    x = layer(x)",
        "for layer in itertools.cycle(self.layers):\n    x = layer(x)",
    ],
)
def test_more_than_once(tmp_path: Path, body: str) -> None:
    found = passes(tmp_path, body)
    assert found.again is not None
    assert found.reordered is None


@pytest.mark.parametrize("over", ["reversed(self.layers)", "self.layers[::-1]", "sorted(self.layers, key=place)"])
def test_another_order(tmp_path: Path, over: str) -> None:
    found = passes(tmp_path, f"for layer in {over}:\n    x = layer(x)")
    assert found.reordered is not None
    assert found.reordered.line == 3
    assert found.again is None


def test_no_forward(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("class Model: ...\n")
    resolver = ClassResolver(SourceTree(tmp_path))
    source = resolver.find_class("model.py", "Model")
    assert source is not None
    assert read_layer_passes(resolver, source, ["layers"]) == LayerPasses()
