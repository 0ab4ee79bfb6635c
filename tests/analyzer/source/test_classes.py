"""Classes resolved across files."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from analyzer.source.classes import ClassResolver, ClassSource, ImportedName, dotted_name, last_name
from analyzer.source.source_tree import SourceTree
from tests.analyzer.sources import class_of, resolver_of

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "pkg/__init__.py": "from .reexport import Base as Public\n",
    "pkg/reexport.py": "from .deep.base import Base\n",
    "pkg/deep/base.py": (
        "class Root(nn.Module):\n    flag = 1\n    def forward(self): return 1\n"
        "class Base(Root):\n    kind: str = 'base'\n    other: int\n    def extra(self): ...\n"
    ),
    "pkg/user.py": (
        "import os\n"
        "from pkg.deep.base import Base, Root\n"
        "from missing.place import Gone\n"
        "try:\n    from .deep.base import Root as Tried\nexcept ImportError:\n    Tried = None\n"
        "if TYPE_CHECKING:\n    from pkg import Public\nelse:\n    Public = object\n"
        "class Mixin:\n    flag = 2\n"
        "class User(Mixin, Base, Gone[int]):\n    def forward(self): return 2\n"
        "class Loop(Loop2): ...\nclass Loop2(Loop): ...\nclass Self(Self): ...\n"
        "NUMBER = 3\n"
    ),
}


@pytest.fixture
def resolver(tmp_path: Path) -> ClassResolver:
    for file, text in FILES.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    return ClassResolver(SourceTree(tmp_path))


def find(resolver: ClassResolver, name: str, file: str = "pkg/user.py") -> ClassSource:
    found = resolver.find_class(file, name)
    assert found is not None
    return found


def test_follows_imports_and_reexports(resolver: ClassResolver) -> None:
    assert find(resolver, "Public", "pkg/__init__.py").file == "pkg/deep/base.py"
    assert find(resolver, "Tried").name == "Root"
    assert find(resolver, "Public").name == "Base"


@pytest.mark.parametrize("name", ["Gone", "NUMBER", "nothing", "os"])
def test_finds_no_class_where_there_is_none(resolver: ClassResolver, name: str) -> None:
    assert resolver.find_class("pkg/user.py", name) is None


def test_unreadable_file_has_no_classes(resolver: ClassResolver) -> None:
    assert resolver.find_class("pkg/absent.py", "User") is None


def test_linearization_is_pythons_order(resolver: ClassResolver) -> None:
    assert [c.name for c in resolver.linearization(find(resolver, "User"))] == ["User", "Mixin", "Base", "Root"]


@pytest.mark.parametrize("name", ["Loop", "Self"])
def test_cycles_end(resolver: ClassResolver, name: str) -> None:
    assert next(c.name for c in resolver.linearization(find(resolver, name))) == name


def test_base_names_include_unreadable_ones(resolver: ClassResolver) -> None:
    assert resolver.base_names(find(resolver, "User")) == {"Mixin", "Base", "Root", "Gone", "nn.Module"}


def test_attributes_and_methods_are_inherited(resolver: ClassResolver) -> None:
    user = find(resolver, "User")
    flag = resolver.attribute(user, "flag")
    assert flag is not None
    assert (flag.owner.name, ast.literal_eval(flag.value or ast.Constant(0)), flag.location.line) == ("Mixin", 2, 13)
    kind = resolver.attribute(user, "kind")
    assert kind is not None
    assert kind.annotation is not None
    assert resolver.attribute(user, "absent") is None
    bare = resolver.attribute(user, "other")
    assert bare is not None
    assert bare.value is None
    extra = resolver.method(user, "extra")
    assert extra is not None
    assert str(extra.location) == "pkg/deep/base.py:7"
    assert resolver.method(user, "absent") is None
    assert {m.node.name: m.owner.name for m in resolver.methods(user)} == {"forward": "User", "extra": "Base"}


def test_relative_imports_beyond_the_root_lead_nowhere(resolver: ClassResolver) -> None:
    assert resolver.module_file("pkg/user.py", ImportedName("x", 9, "y")) is None


def test_endless_reexports_end(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from b import X\n")
    (tmp_path / "b.py").write_text("from a import X\n")
    assert ClassResolver(SourceTree(tmp_path)).find_class("a.py", "X") is None


@pytest.mark.parametrize(
    ("text", "name"), [("a.b.c", "a.b.c"), ("Generic[int]", "Generic"), ("f().x", None), ("1", None)]
)
def test_dotted_name(text: str, name: str | None) -> None:
    assert dotted_name(ast.parse(text, mode="eval").body) == name


def test_a_lattice_of_bases_is_followed_once(tmp_path: Path) -> None:
    levels = range(1, 31)
    pairs = "".join(f"class A{i}(A{i - 1}, B{i - 1}): ...\nclass B{i}(A{i - 1}, B{i - 1}): ...\n" for i in levels)
    resolver = resolver_of(tmp_path, {"lattice.py": f"class A0: ...\nclass B0: ...\n{pairs}"})
    order = resolver.linearization(class_of(resolver, "lattice.py", "A30"))
    assert len(order) == 61
    assert [c.name for c in order[:3]] == ["A30", "A29", "B29"]


@pytest.mark.parametrize(
    ("text", "name"), [("Linear", "Linear"), ("nn.Linear", "Linear"), ("f(x)[0].append", "append"), ("f()", "")]
)
def test_last_name(text: str, name: str) -> None:
    assert last_name(ast.parse(text, mode="eval").body) == name


def test_a_name_with_a_thousand_dots() -> None:
    text = "a" + ".b" * 1500
    assert dotted_name(ast.parse(text, mode="eval").body) == text
