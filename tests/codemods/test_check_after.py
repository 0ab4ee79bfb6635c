"""What a change set left wrong is found, and what others need is not deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import Refused
from analyzer.registry import REGISTRY_FILE
from codemods.check_after import check_after
from codemods.dependents import refuse_needed_modules
from codemods.edits import ChangeSet, Deletion, Rewrite
from tests.codemods.small_tree import REGISTRY, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

PEAR = "vllm/model_executor/models/pear.py"
OTHER = "vllm/model_executor/models/fig.py"


def test_a_clean_tree(tmp_path: Path) -> None:
    registry = "\n".join(line for line in REGISTRY.split("\n") if '"pear"' not in line)
    write_tree(tmp_path, {REGISTRY_FILE: registry, OTHER: "x = 1\n", "docs/a.md": "(\n"})
    changes = ChangeSet((Deletion(PEAR, b"", ()), Rewrite(OTHER, b"", b"", ()), Rewrite("docs/a.md", b"", b"", ())))
    assert check_after(tmp_path, plan_of(retired("PearForCausalLM"), files=(PEAR,)), changes) == ()


def test_everything_that_is_left(tmp_path: Path) -> None:
    write_tree(tmp_path, {REGISTRY_FILE: REGISTRY, OTHER: "from .pear import Pear\n", "x.py": "(\n", PEAR: ""})
    changes = ChangeSet((Deletion(PEAR, b"", ()), Rewrite("x.py", b"", b"", ())))
    left = check_after(tmp_path, plan_of(retired("PearForCausalLM"), files=(PEAR,)), changes)
    assert [(item.location.file, item.message) for item in left] == [
        (OTHER, "relative import of pear: Pear"),
        (PEAR, "is still there"),
        (REGISTRY_FILE, "PearForCausalLM still points at pear, which is gone"),
        (REGISTRY_FILE, "PearForCausalLM still points at pear, which is gone"),
        ("x.py", "x.py:1 is not valid Python: '(' was never closed"),
    ]


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
