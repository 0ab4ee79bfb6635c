"""What a change set left wrong is found, and what others need is not deleted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.errors import Refused
from codemods.dependents import refuse_needed_modules
from codemods.edits import ChangeSet, Deletion, Rewrite
from codemods.registry.left import refuse_named_in_registry
from codemods.writing.check_after import check_after, faults_of
from tests.codemods.small_tree import REGISTRY, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

PEAR = "vllm/model_executor/models/pear.py"
OTHER = "vllm/model_executor/models/fig.py"


def test_a_clean_tree(tmp_path: Path) -> None:
    registry = "\n".join(line for line in REGISTRY.split("\n") if '"pear"' not in line)
    tree = write_tree(tmp_path, {REGISTRY_FILE: registry, OTHER: "x = 1\n", "docs/a.md": "(\n"})
    changes = ChangeSet((Deletion(PEAR, b"", ()), Rewrite(OTHER, b"", b"", ()), Rewrite("docs/a.md", b"", b"", ())))
    assert check_after(tmp_path, plan_of(retired("PearForCausalLM"), files=(PEAR,)), changes, faults_of(tree)) == ()


def test_a_fault_that_was_not_there_before(tmp_path: Path) -> None:
    tests = 'X = {"PearForCausalLM": _HfExamplesInfo("org/pear")}\n'
    registry = "\n".join(line for line in REGISTRY.split("\n") if '"pear"' not in line)
    files = {REGISTRY_FILE: REGISTRY, "tests/models/registry.py": tests}
    known = faults_of(write_tree(tmp_path / "before", dict(files)))
    write_tree(tmp_path / "after", {**files, REGISTRY_FILE: registry})
    left = check_after(tmp_path / "after", plan_of(retired("PearForCausalLM"), files=(PEAR,)), ChangeSet(()), known)
    assert [item.message for item in left] == ["PearForCausalLM in X is not in the registry [dead-test-entry]"]


def test_ci_that_still_names_a_deleted_file(tmp_path: Path) -> None:
    ci = "steps:\n  # pytest models/test_pear.py\n  - pytest models/test_pear.py\n"
    tree = write_tree(tmp_path, {REGISTRY_FILE: REGISTRY, ".buildkite/a.yaml": ci})
    changes = ChangeSet((Deletion("tests/models/test_pear.py", b"", ()),))
    left = check_after(tmp_path, plan_of(retired("PearForCausalLM")), changes, faults_of(tree))
    assert [(str(item.location), item.message) for item in left] == [
        (".buildkite/a.yaml:3", "CI still names tests/models/test_pear.py, which is gone")
    ]


def test_everything_that_is_left(tmp_path: Path) -> None:
    files = {REGISTRY_FILE: REGISTRY, OTHER: "from .pear import Pear\n", "x.py": "(\n", PEAR: ""}
    known = faults_of(write_tree(tmp_path, dict(files)))
    changes = ChangeSet((Deletion(PEAR, b"", ()), Rewrite("x.py", b"", b"", ())))
    left = check_after(tmp_path, plan_of(retired("PearForCausalLM"), files=(PEAR,)), changes, known)
    assert [(item.location.file, item.message) for item in left] == [
        (OTHER, "relative import of pear: Pear"),
        (PEAR, "is still there"),
        (REGISTRY_FILE, "the registry still names pear, which is gone"),
        (REGISTRY_FILE, "the registry still names pear, which is gone"),
        ("x.py", "x.py:1 is not valid Python: '(' was never closed"),
    ]


def test_a_registry_that_still_names_the_module(tmp_path: Path) -> None:
    plain = "\n".join(line for line in REGISTRY.split("\n") if '"pear"' not in line)
    plan = plan_of(retired("PearForCausalLM"), files=(PEAR,))
    tree = write_tree(tmp_path, {REGISTRY_FILE: REGISTRY})
    after = Rewrite(REGISTRY_FILE, REGISTRY.encode(), plain.encode(), ())
    refuse_named_in_registry(plan, ChangeSet((after,)), tree)
    with pytest.raises(Refused, match="the registry would still name pear") as caught:
        refuse_named_in_registry(plan, ChangeSet(()), tree)
    line = next(n for n, text in enumerate(REGISTRY.split("\n"), 1) if '"pear"' in text)
    assert f"{REGISTRY_FILE}:{line}  pear" in caught.value.problem
    after = Rewrite(REGISTRY_FILE, REGISTRY.encode(), f'{plain}_P = "pear"\n'.encode(), ())
    with pytest.raises(Refused, match="the registry would still name pear"):
        refuse_named_in_registry(plan, ChangeSet((after,)), tree)
    refuse_named_in_registry(plan_of(retired("PearForCausalLM")), ChangeSet(()), tree)


def test_an_architecture_that_a_package_serves_from_inside(tmp_path: Path) -> None:
    registry = REGISTRY.replace('("pear", "Pear', '("vllm.models.pear", "Pear').replace(
        '("quince",', '("vllm.models.pear.common.quince",'
    )
    tree = write_tree(tmp_path, {REGISTRY_FILE: registry})
    plan = plan_of(retired("PearForCausalLM"), files=(PEAR,))
    plan = replace(plan, modules=(replace(plan.modules[0], name="vllm.models.pear"),))
    with pytest.raises(Refused, match=r"the registry would still name vllm\.models\.pear") as caught:
        refuse_named_in_registry(plan, ChangeSet(()), tree)
    assert caught.value.remedy.startswith("Name QuinceForCausalLM as well, which the package itself serves. ")


def test_a_module_that_others_need(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {OTHER: "from .pear import Pear, PearTree\n", PEAR: "import vllm\n"})
    with pytest.raises(Refused, match="other files need pear") as caught:
        refuse_needed_modules(plan_of(retired("PearForCausalLM"), files=(PEAR,)), ChangeSet(()), tree)
    assert f"{OTHER}:1  relative import of pear: Pear, PearTree" in caught.value.problem
    refuse_needed_modules(plan_of(retired("PearForCausalLM")), ChangeSet(()), tree)
    refuse_needed_modules(plan_of(retired("PearForCausalLM"), files=(PEAR, OTHER)), ChangeSet(()), tree)
    edited = ChangeSet((Rewrite(OTHER, b"", b"x = 1\n", ()),))
    refuse_needed_modules(plan_of(retired("PearForCausalLM"), files=(PEAR,)), edited, tree)
    edited = ChangeSet((Rewrite(OTHER, b"", b"\n\nfrom .pear import Pear\n", ()),))
    with pytest.raises(Refused, match=f"{OTHER}:3  relative import of pear: Pear"):
        refuse_needed_modules(plan_of(retired("PearForCausalLM"), files=(PEAR,)), edited, tree)
