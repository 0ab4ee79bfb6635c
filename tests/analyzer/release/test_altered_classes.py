"""Classes that are not what their class statements say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.altered_classes import read_altered_classes
from analyzer.source.classes import ClassResolver
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

FILE = "transformers/models/toy/modeling_toy.py"


def altered(folder: Path, text: str) -> list[tuple[str, str, int]]:
    path = folder / FILE
    path.parent.mkdir(parents=True)
    (folder / "transformers/utils.py").write_text("def auto_docstring(kind):\n    return kind\n")
    (path.parent / "other.py").write_text("def odd(kind):\n    return kind\n")
    path.write_text(text)
    resolver = ClassResolver(SourceTree(folder))
    source = resolver.find_class(FILE, "Toy")
    assert source is not None
    return [(a.name, a.source, a.location.line) for a in read_altered_classes(resolver, [source])]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("class Toy: ...\nToy.forward = other\n", 2),
        ("class Toy: ...\nsetattr(Toy, 'forward', other)\n", 2),
        ("class Toy: ...\nif True:\n    pass\nelse:\n    Toy.forward = other\n", 5),
        ("class Toy: ...\ntry:\n    import x\nexcept ImportError:\n    Toy.forward = other\n", 5),
        ("class Toy: ...\nwith x:\n    for name in names:\n        setattr(Toy, name, other)\n", 4),
        ("from .other import odd\n@odd\nclass Toy: ...\n", 2),
        ("@odd(1)\nclass Toy: ...\n", 1),
        ("def odd(kind): ...\n@odd\nclass Toy: ...\n", 2),
    ],
)
def test_altered(tmp_path: Path, text: str, line: int) -> None:
    ((name, _, found),) = altered(tmp_path, text)
    assert (name, found) == ("Toy", line)


@pytest.mark.parametrize(
    "text",
    [
        "class Toy: ...\nOther.forward = other\n",
        "class Toy:\n    def forward(self): ...\n    forward = 3\n",
        "class Toy: ...\ndef late():\n    Toy.forward = other\n",
        "from ...utils import auto_docstring\n@auto_docstring(custom_intro='x')\nclass Toy: ...\n",
        "from dataclasses import dataclass\n@dataclass\nclass Toy: ...\n",
        "import torch\n@torch.jit.script\nclass Toy: ...\n",
    ],
)
def test_as_written(tmp_path: Path, text: str) -> None:
    assert altered(tmp_path, text) == []
