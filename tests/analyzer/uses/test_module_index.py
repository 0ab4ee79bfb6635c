"""What a dotted path leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.source.source_tree import SourceTree
from analyzer.uses.module_index import ModuleIndex, absolute, holds_word, imports_in, names_in

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def index(tmp_path: Path) -> ModuleIndex:
    for file, text in {
        "top.py": "class Top: ...\n",
        "pack/__init__.py": "from .inner import Thing, Other as Renamed\n",
        "pack/inner.py": "class Thing: ...\n\n\nclass Toyish: ...\n",
        "bare/part.py": "from pack import *\n",
        "lazy.py": "def __getattr__(name): ...\n",
    }.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    return ModuleIndex(SourceTree(tmp_path))


def test_files(index: ModuleIndex) -> None:
    assert index.file_of("top") == "top.py"
    assert index.file_of("pack") == "pack/__init__.py"
    assert index.file_of("bare") == "bare"
    assert index.file_of("bare.gone") is None
    assert index.files_of("top") == ("top.py",)
    assert index.files_of("pack") == ("pack/__init__.py", "pack/inner.py")
    assert index.files_of("gone") == ()
    assert index.files_of("bare") == ("bare/part.py",)


@pytest.mark.parametrize(
    "path", ["top.Top", "top.Top.method.deeper", "pack.inner.Thing", "pack.Thing", "bare.part.any", "lazy.any", "top"]
)
def test_leads(path: str, index: ModuleIndex) -> None:
    assert index.leads(path)


@pytest.mark.parametrize("path", ["gone", "top.To", "pack.inner.Toy", "pack.gone", "bare.gone", "gone.at.all"])
def test_leads_nowhere(path: str, index: ModuleIndex) -> None:
    assert not index.leads(path)


def test_classes(index: ModuleIndex) -> None:
    assert index.defines_class("pack/__init__.py", "Other")
    assert index.defines_class("pack/inner.py", "Toyish")
    assert not index.defines_class("pack/inner.py", "Toy")
    assert not index.defines_class("bare", "Toy")


def test_whole_words() -> None:
    assert holds_word(b"a Toy", b"Toy")
    assert holds_word(b"Toys Toy.x", b"Toy")
    assert not holds_word(b"AToy Toys _Toy", b"Toy")


def test_imports() -> None:
    source = b"x = 1\nfrom .a import (  # noqa: X1\n    b as c,  # more\n    d,\n)\nfrom e.f import g  # noqa: X2, X3\n"
    found = imports_in(source)
    assert [base for base, _ in found] == [b".a", b"e.f"]
    assert [names_in(names) for _, names in found] == [[b"b", b"d"], [b"g"]]


def test_absolute() -> None:
    assert absolute("x.y", "a/b.py") == "x.y"
    assert absolute(".c", "a/b.py") == "a.c"
    assert absolute("..", "a/b/c.py") == "a"
