"""Every text of the registry's code that names a module is found, however it is put together."""

from __future__ import annotations

import ast

import pytest

from analyzer.uses.registry_mentions import registry_mentions


def mentioned(source: str, *modules: str) -> list[tuple[str, int]]:
    return [(m.module, m.location.line) for m in registry_mentions(ast.parse(source), modules or ("pear",))]


@pytest.mark.parametrize(
    "source",
    [
        'D = {"P": ("pear", "P")}',
        'D = {"P": ("vllm.model_executor.models.pear", "P")}',
        'D = {"P": ["pear", "P"]}',
        '_PEAR = "pear"',
        "D.update(P=('pear', 'P'))",
        "D['P'] = 'pear:P'",
        "D['P'] = 'pear.inner'",
        "x = 'pe' + 'ar'",
        "x = f'pe{\"ar\"}'",
        "x = f'{base}.pear'",
        "x = f'{base}pear'",
        "x = base + '.pear'",
        "def f():\n    return 'pear'",
    ],
)
def test_what_names_it(source: str) -> None:
    assert [module for module, _ in mentioned(source)] == ["pear"]


@pytest.mark.parametrize(
    "source",
    [
        "# pear",
        "'pear'",
        "x = 'pears'",
        "x = 'red_pear'",
        "x = 'a pear is a fruit'",
        "x = f'{a}.{b}'",
        "x = 'pe'",
        "pear = 1",
    ],
)
def test_what_does_not(source: str) -> None:
    assert mentioned(source) == []


def test_a_name_that_another_stands_in() -> None:
    source = "_MODELS = 'vllm.models'\nx = f'{_MODELS}.fig'\ny = 'fig'\n"
    assert mentioned(source, "vllm.models.fig", "pear") == [("vllm.models.fig", 2)]
