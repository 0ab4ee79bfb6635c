"""Uses of modules that no import statement names."""

from __future__ import annotations

import ast

import pytest

from analyzer.source.constant_text import bound_texts
from analyzer.source.import_statements import code_of, import_statements
from analyzer.uses.package_uses import package_names, spelled_paths, uses_through_packages

PEAR = "v.models.pear"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (b"import v\n", {"v": "v"}),
        (b"import v.models\n", {"v": "v"}),
        (b"import v.models as m, os\n", {"m": "v.models"}),
        (b"from v import models, other\n", {"models": "v.models"}),
        (b"from v import (\n    models as m,\n)\n", {"m": "v.models"}),
        (b"from v.models import pear\nimport v.models.pear as p\nimport w\n", {}),
    ],
)
def test_names_of_packages(source: bytes, names: dict[str, str]) -> None:
    assert package_names(import_statements(code_of(source)), lambda module: module, [PEAR]) == names


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("m.pear", [(PEAR, "")]),
        ("m.pear.Pear.load(m.pear.x)", [(PEAR, "Pear.load"), (PEAR, "x")]),
        ("getattr(m, 'pear')", [(PEAR, "")]),
        ("N = 'pear'\ngetattr(m, N, None)", [(PEAR, "")]),
        ("m.pears, n.pear, m, getattr(m, name), getattr(n, 'pear'), self.m.pear", []),
    ],
)
def test_uses(source: str, found: list[tuple[str, str]]) -> None:
    uses = uses_through_packages(ast.parse(source), {"m": "v.models"}, [PEAR])
    assert [(path, symbol) for _, path, symbol in uses] == found


@pytest.mark.parametrize(
    ("before", "expression", "texts"),
    [
        ("", "'v.models.' + 'pear'", [PEAR]),
        ("N = 'pear'", "f'v.models.{N}.Pear'", [f"{PEAR}.Pear"]),
        ("", "'v.models.%s' % 'pear'", [PEAR]),
        ("", "'{}.{}'.format('v.models', 'pear')", [PEAR]),
        ("", "'.'.join(('v.models', 'pear'))", [PEAR]),
        ("", "'v.models.pear' + '.Pear'", []),
        ("", "'v.models.%s.%s' % 'pear'", []),
        ("", "'v.models.{name}'.format(name='pear')", []),
        ("N = 'pear'; N = 'fig'", "f'v.models.{N}'", []),
    ],
)
def test_spelled_paths(before: str, expression: str, texts: list[str]) -> None:
    module = ast.parse(f"{before}\nx = {expression}\n")
    assert [text for _, text in spelled_paths(module, bound_texts(module), [PEAR])] == texts
