"""Import statements, read from bytes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from analyzer.source.import_statements import code_of, column_of, import_statements

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = [
    "import a\n",
    "import a.b as c, d\n",
    "import a, \\\n    b\n",
    "from a import b\n",
    "from . import b\n",
    "from .a.b import (\n    c,  # (not d)\n    e as f,\n)\n",
    "from.a import*\n",
    "from . a import b; import c\n",
    "if x: import a\n",
    "try:\n    from a import b\nexcept ImportError: from c import d\n",
    "def f():\n    yield from important\n    raise X from imports\n",
    "x = 'import a'; y = \"from a import b\"\n",
    "'''\nimport a\n'''\nimport b\n",
    'x = """ \\""" import a\n"""\nimport b\n',
    "# don't\nimport a\n",
    "x = 'it\\'s'  # '\nimport a\n",
    "importer = 1\nfrom_import = 2\n",
    "s = 'ß'; import a\n",
    "import a\r\nfrom b import (\r\n    c,\r\n)\r\n",
    "",
]


Found = list[tuple[str, tuple[int, int], list[tuple[str, tuple[int, int]]]]]


def by_text(data: bytes) -> Found:
    return sorted(
        (s.module or "", column_of(data, s.offset), [(n.name, column_of(data, n.offset)) for n in s.names])
        for s in import_statements(code_of(data))
    )


def by_tree(data: bytes) -> Found:
    found = [node for node in ast.walk(ast.parse(data)) if isinstance(node, ast.Import | ast.ImportFrom)]
    return sorted(
        (
            "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else "",
            (node.lineno, node.col_offset + 1),
            [(alias.name, (alias.lineno, alias.col_offset + 1)) for alias in node.names],
        )
        for node in found
    )


@pytest.mark.parametrize("source", SOURCES)
def test_as_the_syntax_tree_has_them(source: str) -> None:
    data = source.encode()
    assert by_text(data) == by_tree(data)
    assert len(code_of(data)) == len(data)


@pytest.mark.release
def test_as_the_syntax_trees_of_a_release_have_them(engine_0_33: Path) -> None:
    for path in (engine_0_33 / "vllm/model_executor").rglob("*.py"):
        data = path.read_bytes()
        assert by_text(data) == by_tree(data), path
