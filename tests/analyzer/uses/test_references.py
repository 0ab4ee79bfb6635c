"""Who needs a module or names an architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from analyzer.errors import UnreadableSource
from analyzer.source import source_scan
from analyzer.source.source_tree import SourceTree
from analyzer.uses.reference import Reference, ReferenceKind, dotted_module
from analyzer.uses.references import find_references

if TYPE_CHECKING:
    from pathlib import Path

MODELS = "vllm/model_executor/models"
PLAIN = f"{MODELS}/other.py"


def references(
    folder: Path, source: str, file: str = PLAIN, modules: tuple[str, ...] = ("pear",), names: tuple[str, ...] = ()
) -> list[tuple[ReferenceKind, str, tuple[str, ...], int]]:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    found = find_references(SourceTree(folder), modules, names)
    assert all(reference.location.file == file for reference in found)
    return [(r.kind, r.subject, r.symbols, r.location.line) for r in found]


@pytest.mark.parametrize(
    ("source", "kind", "symbols", "line"),
    [
        ("import vllm.model_executor.models.pear\n", ReferenceKind.IMPORT, (), 1),
        ("import os, vllm.model_executor.models.pear as p\n", ReferenceKind.IMPORT, (), 1),
        ("from vllm.model_executor.models.pear import A, B\n", ReferenceKind.IMPORT, ("A", "B"), 1),
        ("from vllm.model_executor.models import apple, pear\n", ReferenceKind.IMPORT, (), 1),
        ("from vllm.model_executor.models import (\n    a,  # a\n    pear,\n)\n", ReferenceKind.IMPORT, (), 3),
        ("from vllm.model_executor.models import a, \\\n    pear\n", ReferenceKind.IMPORT, (), 2),
        ("from .pear import A\n", ReferenceKind.RELATIVE_IMPORT, ("A",), 1),
        ("from . import pear as p\n", ReferenceKind.RELATIVE_IMPORT, (), 1),
        ("from ..models.pear import *\n", ReferenceKind.RELATIVE_IMPORT, ("*",), 1),
        ("def f():\n    from .pear import A\n", ReferenceKind.RELATIVE_IMPORT, ("A",), 2),
        ("if TYPE_CHECKING:\n    from .pear import A\n", ReferenceKind.TYPE_CHECKING_IMPORT, ("A",), 2),
        (
            "if t.TYPE_CHECKING:\n    import vllm.model_executor.models.pear\n",
            ReferenceKind.TYPE_CHECKING_IMPORT,
            (),
            2,
        ),
        ("import_module('vllm.model_executor.models.pear')\n", ReferenceKind.MODULE_STRING, (), 1),
        ("patch('vllm.model_executor.models.pear.A.forward')\n", ReferenceKind.MODULE_STRING, ("A.forward",), 1),
        ("importlib.import_module('.pear', 'vllm.model_executor.models')\n", ReferenceKind.MODULE_STRING, (), 1),
        ("import_module('.pear', package=__package__)\n", ReferenceKind.MODULE_STRING, (), 1),
        ("import_module('..models.pear', __package__)\n", ReferenceKind.MODULE_STRING, (), 1),
        ("x = 'see vllm.model_executor.models.pear, and more'\n", ReferenceKind.MODULE_STRING, (), 1),
        ("import vllm.model_executor.models.pear.inner\n", ReferenceKind.IMPORT, (), 1),
    ],
)
def test_references_to_a_module(
    tmp_path: Path, source: str, kind: ReferenceKind, symbols: tuple[str, ...], line: int
) -> None:
    assert references(tmp_path, source) == [(kind, "pear", symbols, line)]


PACKAGE = "vllm.model_executor.models"


@pytest.mark.parametrize(
    ("source", "kind", "symbols"),
    [
        (f"import {PACKAGE} as m\nx = m.pear.Pear\n", ReferenceKind.ATTRIBUTE, ("Pear",)),
        (f"import {PACKAGE} as m\nm.pear.Pear.load(m.pear.x[0])\n", ReferenceKind.ATTRIBUTE, ("Pear.load",)),
        (f"import {PACKAGE}\nclass A({PACKAGE}.pear.Pear): ...\n", ReferenceKind.ATTRIBUTE, ("Pear",)),
        ("import vllm\nx = vllm.model_executor.models.pear\n", ReferenceKind.ATTRIBUTE, ()),
        ("from vllm.model_executor import models\nmodels.pear.f(x)\n", ReferenceKind.ATTRIBUTE, ("f",)),
        ("from .. import models as m\nx = m.pear\n", ReferenceKind.ATTRIBUTE, ()),
        ("from vllm.model_executor import models\ngetattr(models, 'pear')\n", ReferenceKind.ATTRIBUTE, ()),
        (f"x = 1\nimport_module('{PACKAGE}.' + 'pear')\n", ReferenceKind.MODULE_STRING, ()),
        (f"NAME = 'pear'\nimport_module(f'{PACKAGE}.{{NAME}}')\n", ReferenceKind.MODULE_STRING, ()),
        (f"P = '{PACKAGE}'\nimport_module(f'{{P}}.pear')\n", ReferenceKind.MODULE_STRING, ()),
        (f"P: str = '{PACKAGE}'\npatch(P + '.pear.Pear')\n", ReferenceKind.MODULE_STRING, ("Pear",)),
        (f"\nx = '{PACKAGE}.%s' % 'pear'\n", ReferenceKind.MODULE_STRING, ()),
        (f"N = 'pear'\nx = '%s.%s' % ('{PACKAGE}', N)\n", ReferenceKind.MODULE_STRING, ()),
        (f"N = 'pear'\nx = '{PACKAGE}.{{}}'.format(N)\n", ReferenceKind.MODULE_STRING, ()),
        (f"N = 'pear'\nx = '.'.join(['{PACKAGE}', N])\n", ReferenceKind.MODULE_STRING, ()),
        ("import os\nimport_module(f'{__package__}.pear')\n", ReferenceKind.MODULE_STRING, ()),
        ("NAME = '.pear'\nimport_module(NAME, __package__)\n", ReferenceKind.MODULE_STRING, ()),
    ],
)
def test_references_that_are_put_together(
    tmp_path: Path, source: str, kind: ReferenceKind, symbols: tuple[str, ...]
) -> None:
    assert (kind, "pear", symbols, 2) in references(tmp_path, source)


def test_type_stubs(tmp_path: Path) -> None:
    found = references(tmp_path, "from .pear import A\n", f"{MODELS}/other.pyi")
    assert found == [(ReferenceKind.RELATIVE_IMPORT, "pear", ("A",), 1)]


@pytest.mark.parametrize(
    "source",
    [
        "from .pears import A\nfrom .red_pear import B\n",
        "from .tool_parsers import pear\n",
        "from vllm.tool_parsers.pear import A\n",
        "import pear\nimport_module('pear')\nimport_module(name)\n",
        "'''Copied from vllm.model_executor.models.pear.'''\n# from .pear import A\n",
        "x = 'vllm.model_executor.models.pears'\ny = 'my.vllm.model_executor.models.pear'\n",
        "from ... import pear\nfrom ........ import pear\n",
        "pear = 1\nx = (pear, 2)\n",
        "from vllm import models\nmodels.pear.f()\n",
        "from vllm.model_executor import models\nmodels.pears.f(self.pear)\nself.models.pear()\n",
        "import_module(name + '.pear')\nx = f'{name}.pear'\ngetattr(self, 'pear')\n",
    ],
)
def test_what_only_looks_like_one(tmp_path: Path, source: str) -> None:
    assert references(tmp_path, source) == []


def test_the_module_itself_does_not_count(tmp_path: Path) -> None:
    assert references(tmp_path, "import vllm.model_executor.models.pear\n", f"{MODELS}/pear.py") == []
    package = f"{MODELS}/pear/__init__.py"
    assert references(tmp_path, "from . import inner\nfrom .inner import A\n", package) == []
    assert references(tmp_path, "from ..pear import A\n", f"{MODELS}/pear/inner.py") == []


def test_absolute_registry_modules(tmp_path: Path) -> None:
    assert dotted_module("vllm.models.pear") == "vllm.models.pear"
    found = references(tmp_path, "from ..pear.x import A\n", "vllm/models/fig/a.py", ("vllm.models.pear",))
    assert found == [(ReferenceKind.RELATIVE_IMPORT, "vllm.models.pear", ("A",), 1)]


def test_names_of_architectures(tmp_path: Path) -> None:
    source = """\
'''PearForCausalLM in a docstring'''
from x import PearForCausalLM  # PearForCausalLM
build(architectures=["PearForCausalLM"])
overrides = '{"architectures": ["PearForCausalLM"]}'
x = "PearForCausalLM2", "MyPearForCausalLM"
"""
    found = references(tmp_path, source, modules=(), names=("PearForCausalLM",))
    kind = ReferenceKind.ARCHITECTURE_STRING
    assert found == [(kind, "PearForCausalLM", (), 3), (kind, "PearForCausalLM", (), 4)]


def test_the_registries_do_not_count(tmp_path: Path) -> None:
    source = 'D = {"PearForCausalLM": ("vllm.model_executor.models.pear", "PearForCausalLM")}\n'
    assert references(tmp_path, source, REGISTRY_FILE, names=("PearForCausalLM",)) == []
    (tmp_path / REGISTRY_FILE).unlink()
    tests = 'D = {"PearForCausalLM": info("org/pear"), "Fig": info(hf_overrides={"a": ["PearForCausalLM"]})}\n'
    found = references(tmp_path, tests, TEST_REGISTRY_FILE, names=("PearForCausalLM",))
    assert [(kind, line) for kind, _, _, line in found] == [(ReferenceKind.ARCHITECTURE_STRING, 1)]


def test_many_names_in_one_pass(tmp_path: Path) -> None:
    modules = ("pear", *(f"m{number}" for number in range(source_scan.FEW + 1)))
    found = references(tmp_path, "from .pear import A\nfrom .m3 import B\nfrom .m33 import C\n", modules=modules)
    assert [subject for _, subject, _, _ in found] == ["pear", "m3"]


def test_order_and_nothing_asked(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.py").write_text("import vllm.model_executor.models.pear\n")
    tree = SourceTree(tmp_path)
    found = find_references(tree, ["pear"])
    assert [str(reference.location) for reference in found] == ["a.py:1", "b.py:1"]
    assert isinstance(found[0], Reference)
    assert find_references(tree) == ()


def test_links_and_skipped_folders(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.py").write_text("from vllm.model_executor.models import pear\n")
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / ".git/hook.py").write_text("import vllm.model_executor.models.pear\n")
    (root / "folder").symlink_to(outside)
    (root / "link.py").symlink_to(outside / "x.py")
    assert find_references(SourceTree(root), ["pear"]) == ()


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableSource, match=r"other\.py:2 is not valid Python"):
        references(tmp_path, "patch('vllm.model_executor.models.pear')\n)\n")
    assert references(tmp_path, "from .pear import A\n)\n") == [(ReferenceKind.RELATIVE_IMPORT, "pear", ("A",), 1)]
    (tmp_path / PLAIN).unlink()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "x")

    (tmp_path / "a.py").write_text("")
    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", refuse)
        with pytest.raises(UnreadableSource, match="cannot read"):
            find_references(SourceTree(tmp_path), ["pear"])
    with pytest.raises(UnreadableSource, match="cannot list"):
        find_references(SourceTree(tmp_path / "missing"), ["pear"])


@pytest.mark.release
def test_the_real_tree(engine_0_33: Path) -> None:
    found = find_references(SourceTree(engine_0_33), ["gemma", "phi3"], ["GemmaForCausalLM", "Phi3ForCausalLM"])
    assert [(r.location.file, r.subject) for r in found] == [
        ("tests/models/language/generation/test_gemma.py", "gemma"),
        ("vllm/model_executor/models/paligemma.py", "GemmaForCausalLM"),
        ("vllm/model_executor/models/phi4siglip.py", "Phi3ForCausalLM"),
    ]


def test_looks_below_a_folder_alone(tmp_path: Path) -> None:
    for file in (PLAIN, "tests/test_pear.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("from vllm.model_executor.models.pear import A\n")
    found = find_references(SourceTree(tmp_path), ("pear",), below="vllm")
    assert [reference.location.file for reference in found] == [PLAIN]
