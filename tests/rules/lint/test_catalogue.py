"""Each check of `lint` on a small tree that agrees, and on the same tree with one part changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import WrongUse
from rules.catalogue import RULES
from rules.lint.catalogue import CHECKS
from tests.rules.lint.sound_tree import DOCS, MODELS, REGISTRY, TESTED, SoundTree

if TYPE_CHECKING:
    from pathlib import Path

    from rules.lint.check import Check


@pytest.fixture
def tree(tmp_path: Path) -> SoundTree:
    return SoundTree(tmp_path)


def test_a_tree_that_agrees_has_no_fault(tree: SoundTree) -> None:
    assert tree.faults() == ()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_page_says_what_why_and_how(check: Check) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", check.code)
    assert check.code not in {rule.code for rule in RULES}
    first, _, rest = check.page().partition("\n\n")
    assert first.endswith(".")
    for heading in ("**What it does.**", "**Why.**", "**How to mend.**"):
        assert heading in rest


def test_module_that_is_gone(tree: SoundTree) -> None:
    (tree.root / MODELS / "toy.py").unlink()
    line = tree.line(REGISTRY, '"ToyForCausalLM": (')
    assert tree.told() == [f"registry-target {REGISTRY}:{line}"]
    assert tree.faults()[0].message == "ToyForCausalLM is served by toy, which does not exist"


@pytest.mark.parametrize(
    "addition",
    [
        '_TEXT_GENERATION_MODELS.update({"X": ("lost", "X")})\n',
        '_TEXT_GENERATION_MODELS["X"] = ["lost", "X"]\n',
        '_EXTRA = {"X": ("vllm.model_executor.models.lost", "X")}\n_TEXT_GENERATION_MODELS |= _EXTRA\n',
        '_LOST = "lost"\n_TEXT_GENERATION_MODELS |= {"X": (_LOST, "X")}\n',
        '_TEXT_GENERATION_MODELS |= {f"X{i}": ("lost", "X") for i in range(2)}\n',
    ],
)
def test_module_that_is_gone_of_an_entry_in_another_form(tree: SoundTree, addition: str) -> None:
    tree.change(REGISTRY, "_PREVIOUSLY_SUPPORTED_MODELS", f"{addition}\n_PREVIOUSLY_SUPPORTED_MODELS")
    (fault,) = (fault for fault in tree.faults() if fault.check == "registry-target")
    assert "is served by lost, which does not exist" in fault.message


def test_class_that_is_gone(tree: SoundTree) -> None:
    tree.change(f"{MODELS}/toy.py", "class ToyForCausalLM(", "# was ToyForCausalLM\nclass Toy(")
    (fault,) = tree.faults()
    assert fault.check == "registry-target"
    assert fault.message == f"ToyForCausalLM is served by ToyForCausalLM, which {MODELS}/toy.py does not have"


def test_class_of_a_package_by_its_full_path(tree: SoundTree) -> None:
    tree.write(
        "vllm/models/toy/__init__.py", "from .model import (\n    ToyModel,  # noqa: F401\n    ToyForCausalLM,\n)\n"
    )
    tree.write("vllm/models/toy/model.py", "class ToyForCausalLM: ...\n\n\nclass ToyModel: ...\n")
    tree.change(REGISTRY, '("toy", "ToyForCausalLM")', '("vllm.models.toy", "ToyForCausalLM")')
    assert tree.faults() == ()
    (tree.root / "vllm/models/toy/model.py").unlink()
    assert tree.told() == ["dangling-import vllm/models/toy/__init__.py:1"]


def test_class_that_a_name_stands_for(tree: SoundTree) -> None:
    tree.change(f"{MODELS}/toy.py", "class ToyForCausalLM(", "ToyForCausalLM = build()\n\n\nclass Toy(")
    assert tree.faults() == ()


def test_one_architecture_with_two_values(tree: SoundTree) -> None:
    tree.change(
        REGISTRY, '    "OtherModel": (', '    "ToyForCausalLM": ("other", "OtherForCausalLM"),\n    "OtherModel": ('
    )
    line = tree.line(REGISTRY, '"ToyForCausalLM": ("other"')
    assert tree.told() == [f"registry-duplicate {REGISTRY}:{line}"]


def test_one_architecture_twice_with_one_value(tree: SoundTree) -> None:
    tree.change(
        REGISTRY, '    "OtherModel": (', '    "ToyForCausalLM": ("toy", "ToyForCausalLM"),\n    "OtherModel": ('
    )
    assert tree.faults() == ()


@pytest.mark.parametrize(("old", "name"), [('"GoneForCausalLM"', "PREVIOUSLY"), ('"AwayModel"', "OOT")])
def test_architecture_that_came_back(tree: SoundTree, old: str, name: str) -> None:
    tree.change(REGISTRY, old, '"ToyForCausalLM"')
    (fault,) = tree.faults()
    assert fault.check == "registry-revived"
    assert fault.message == f"ToyForCausalLM is served, and is also in _{name}_SUPPORTED_MODELS"
    assert fault.location.line == tree.line(REGISTRY, '"ToyForCausalLM": ("toy"')


def test_test_registry_entries(tree: SoundTree) -> None:
    tree.change(TESTED, '"ToyForCausalLM"', '"ToiForCausalLM"')
    assert tree.told() == [
        f"dead-test-entry {TESTED}:{tree.line(TESTED, 'ToiForCausalLM')}",
        f"untested-architecture {REGISTRY}:{tree.line(REGISTRY, 'ToyForCausalLM')}",
    ]


def test_what_the_engine_converts_is_served(tree: SoundTree) -> None:
    tree.change(TESTED, "{\n", '{\n    "ToyForSequenceClassification": _HfExamplesInfo("org/toy"),\n')
    tree.change(DOCS, "`ToyForCausalLM` |", "`ToyForCausalLM`, `ToyForSequenceClassification`, `*Model` |")
    assert tree.faults() == ()


def test_tree_without_tests_and_docs(tree: SoundTree) -> None:
    for file in (TESTED, DOCS):
        (tree.root / file).unlink()
    assert tree.faults() == ()


def test_docs_row_that_is_missing(tree: SoundTree) -> None:
    row = "| `ToyForCausalLM` | Toy, Toy \\| Two | `org/toy-1b`, `org/toy-2b`, etc. | | ✅︎ |\n"
    tree.change(DOCS, row, "")
    assert tree.told() == [f"undocumented-architecture {REGISTRY}:{tree.line(REGISTRY, 'ToyForCausalLM')}"]


def test_row_of_an_alias_or_of_the_class_will_do(tree: SoundTree) -> None:
    tree.change(DOCS, "`TwinForCausalLM`, `TwinTooForCausalLM`", "`TwinTooForCausalLM`")
    tree.change(DOCS, "`ToyForCausalLM`", "`ToyClass`")
    tree.change(f"{MODELS}/toy.py", "class ToyForCausalLM", "class ToyClass")
    tree.change(REGISTRY, '("toy", "ToyForCausalLM")', '("toy", "ToyClass")')
    assert tree.faults() == ()


def test_row_of_another_model_of_the_backend_will_not_do(tree: SoundTree) -> None:
    tree.change(DOCS, "| `AcornForCausalLM` | Acorn | `org/acorn` | ✅︎ | ✅︎ |\n", "")
    assert tree.told() == [f"undocumented-architecture {REGISTRY}:{tree.line(REGISTRY, 'AcornForCausalLM')}"]


@pytest.mark.parametrize(
    "text",
    [
        'self.language_model = init_vllm_registered_model(architectures=["ToyForCausalLM"])\n',
        "build(model_class=ToyForCausalLM)\n",
        "",
    ],
)
def test_what_another_model_builds_needs_no_row(tree: SoundTree, text: str) -> None:
    tree.change(DOCS, "| `ToyForCausalLM`", "| `OtherForCausalLM`")
    assert [fault.check for fault in tree.faults()] == ["undocumented-architecture"]
    if text:
        tree.write(f"{MODELS}/seer.py", text)
    else:
        tree.change(f"{MODELS}/toy.py", "class ToyForCausalLM", "model = ToyForCausalLM()\n\n\nclass ToyForCausalLM")
    assert tree.faults() == ()


def test_docs_row_of_a_model_that_is_gone(tree: SoundTree) -> None:
    tree.change(DOCS, "| `ToyForCausalLM` |", "| `GoneForCausalLM`, `ToyForCausalLM` |")
    assert tree.told() == [f"dead-docs-row {DOCS}:{tree.line(DOCS, 'GoneForCausalLM')}"]


def test_rows_in_the_wrong_table(tree: SoundTree) -> None:
    tree.change(DOCS, "| `ToyForCausalLM`", "| `Put`")
    tree.change(DOCS, "| `AcornForCausalLM`", "| `ToyForCausalLM`")
    tree.change(DOCS, "| `Put`", "| `AcornForCausalLM`")
    assert tree.told() == [
        f"misplaced-docs-row {DOCS}:{tree.line(DOCS, 'AcornForCausalLM')}",
        f"misplaced-docs-row {DOCS}:{tree.line(DOCS, 'ToyForCausalLM')}",
    ]


def test_import_of_a_module_that_is_gone(tree: SoundTree) -> None:
    tree.change(f"{MODELS}/twin.py", "from .other import", "from .othre import")
    assert tree.told() == [f"dangling-import {MODELS}/twin.py:1"]


def test_ci_path_that_stands_for_nothing(tree: SoundTree) -> None:
    tree.write(".github/CODEOWNERS", f"/{MODELS}/toy* @a\n/{MODELS}/toi* @a\n")
    assert tree.told() == ["dangling-ci-path .github/CODEOWNERS:2"]


def test_suppressions(tree: SoundTree) -> None:
    tree.change(DOCS, "| `ToyForCausalLM` |", "| `GoneForCausalLM`, `ToyForCausalLM` |")
    tree.change(DOCS, "etc. | | ✅︎ |", "etc. | | ✅︎ | <!-- retire-model: ignore[dead-docs-row] kept for its users -->")
    tree.write(".github/CODEOWNERS", f"# retire-model: ignore[dangling-ci-path] soon\n/{MODELS}/toi* @a\n")
    assert tree.faults() == ()
    tree.change(DOCS, "kept for its users", "")
    with pytest.raises(WrongUse, match=f"{DOCS}:.* ignores dead-docs-row without a reason"):
        tree.faults()
