"""Imports that lead nowhere, in all the ways in which a file can import."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import UnreadableSource
from analyzer.source.source_tree import SourceTree
from analyzer.uses.dangling_imports import find_dangling_imports
from tests.toy import write_engine

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "vllm/model_executor/models"
GONE = "vllm.model_executor.models.gone"


def dangling(root: Path, file: str, text: str) -> list[tuple[int, str]]:
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(text)
    found = find_dangling_imports(SourceTree(root))
    assert all(d.location.file == file for d in found)
    return [(d.location.line, d.path) for d in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"from {GONE} import Thing\n", GONE),
        (f"import {GONE}\n", GONE),
        (f"import os, {GONE} as gone\n", GONE),
        ("from vllm.model_executor.models import gone\n", GONE),
        ("from vllm.model_executor.models.toy import ToyModel, Gone\n", "vllm.model_executor.models.toy.Gone"),
        (f"import_module('{GONE}')\n", GONE),
        (f'patch("{GONE}.Thing")\n', f"{GONE}.Thing"),
        (f"if TYPE_CHECKING:\n    from {GONE} import Thing\n", GONE),
        ("def f():\n    from vllm.transformers_utils.gone import G\n", "vllm.transformers_utils.gone"),
    ],
)
def test_test_file(text: str, expected: str, tmp_path: Path) -> None:
    line = text.count("\n") or 1
    assert dangling(write_engine(tmp_path), "tests/test_it.py", text) == [(line, expected)]


def test_relative(tmp_path: Path) -> None:
    text = "from .toy import (\n    Gone,  # noqa: F401\n    ToyModel,\n)\nfrom . import toy, away\n"
    text += "from ..models.gone import *\n"
    package = "vllm.model_executor.models"
    assert dangling(write_engine(tmp_path), f"{FOLDER}/new.py", text) == [
        (1, f"{package}.toy.Gone"),
        (5, f"{package}.away"),
        (6, f"{package}.gone"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        f'"""As in {GONE}."""\n',
        f"# {GONE}\n",
        f"try:\n    from {GONE} import Thing\nexcept ImportError:\n    Thing = None\n",
        f"try:\n    import {GONE}\nexcept (ValueError, ModuleNotFoundError):\n    pass\n",
        f"try:\n    import {GONE}\nexcept:\n    pass\n",
        f"def f():\n    name = '{GONE}'\n    try:\n        import_module(name)\n    except Exception:\n        pass\n",
        "from vllm.model_executor.models.toy import *\n",
        "from vllm.model_executor.models.toy import ToyModel as T, ToyAttention\n",
        "from vllm.other.gone import Thing\n",
        f"path = 'src/{GONE}'\n",
    ],
)
def test_what_is_none(text: str, tmp_path: Path) -> None:
    assert dangling(write_engine(tmp_path), "tests/test_it.py", text) == []


def test_a_module_that_is_not_beside_a_file_of_the_tests(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    text = "from .there import A\nfrom . import b\n\n\ndef register():\n    from .gone import C\n"
    assert dangling(root, "tests/plugins/there.py", "A = b = 1\n") == []
    assert dangling(root, "tests/plugins/__init__.py", text) == [(6, "tests.plugins.gone")]


def test_relative_imports_of_other_packages_of_the_engine_may_be_compiled(tmp_path: Path) -> None:
    assert dangling(write_engine(tmp_path), "vllm/attention/__init__.py", "from ._compiled import f\n") == []


def test_a_try_for_something_else_forgives_nothing(tmp_path: Path) -> None:
    text = f"try:\n    import {GONE}\nexcept ValueError:\n    pass\n"
    assert dangling(write_engine(tmp_path), "tests/test_it.py", text) == [(2, GONE)]


def test_suspect_that_does_not_parse(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"tests/test_it\.py:2 is not valid Python"):
        dangling(write_engine(tmp_path), "tests/test_it.py", f"import {GONE}\ndef\n")


def test_an_environment_inside_the_tree_is_none_of_it(tmp_path: Path) -> None:
    assert dangling(write_engine(tmp_path), "env/lib/python3.11/site-packages/plugin.py", f"import {GONE}\n") == []
