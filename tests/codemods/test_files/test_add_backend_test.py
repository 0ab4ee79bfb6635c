"""The test file that `--with-tests` adds: where it goes, what it claims, and that it is valid and idempotent."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem, Refused
from analyzer.source.source_tree import SourceTree
from codemods.edits import Creation, Draft
from codemods.plan import RetirementPlan
from codemods.test_files.add_backend_test import FOLDER_SIGN, SINGLE_FILE, add_backend_tests
from codemods.test_files.backend_test import BackendTest

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = (("vocab_size", 512), ("initializer_range", 0.2))


def plan(*, tensor_parallel: bool = True, pipeline_parallel: bool = True) -> RetirementPlan:
    test = BackendTest("ToyForCausalLM", "toy", SETTINGS, tensor_parallel, pipeline_parallel)
    return RetirementPlan((), backend_tests=(test,))


def created(root: Path, wanted: RetirementPlan) -> Creation:
    draft = Draft(SourceTree(root))
    add_backend_tests(wanted, draft)
    (edit,) = draft.change_set().edits
    assert isinstance(edit, Creation)
    return edit


def put(root: Path, file: str, text: str = "") -> None:
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_text(text)


def names(text: str) -> list[str]:
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


def test_in_the_folder(tmp_path: Path) -> None:
    put(tmp_path, FOLDER_SIGN)
    edit = created(tmp_path, plan())
    text = edit.after.decode()
    assert edit.file == "tests/models/transformers/test_toy.py"
    assert names(text)[-3:] == ["test_logprobs", "test_tensor_parallel", "test_pipeline_parallel"]
    assert "from ...utils import multi_gpu_test\n" in text
    assert "CONFIG = dict(\n    vocab_size=512,\n    initializer_range=0.2,\n)\n" in text
    assert 'AutoConfig.for_model("toy", **CONFIG)' in text
    assert "tiny_model, tensor_parallel_size=2)" in text
    assert text.endswith("tiny_model, pipeline_parallel_size=2)\n")
    assert max(map(len, text.splitlines())) <= 88


def test_beside_the_single_file(tmp_path: Path) -> None:
    put(tmp_path, SINGLE_FILE)
    edit = created(tmp_path, plan(pipeline_parallel=False))
    assert edit.file == "tests/models/test_transformers_toy.py"
    assert "from ..utils import multi_gpu_test\n" in edit.after.decode()
    assert names(edit.after.decode())[-2:] == ["test_logprobs", "test_tensor_parallel"]


def test_without_parallel(tmp_path: Path) -> None:
    put(tmp_path, FOLDER_SIGN)
    text = created(tmp_path, plan(tensor_parallel=False, pipeline_parallel=False)).after.decode()
    assert "multi_gpu_test" not in text
    assert "from vllm import SamplingParams\n\nCONFIG" in text
    assert text.endswith("    check_logprobs(vllm_runner, tiny_model)\n")


def test_again(tmp_path: Path) -> None:
    put(tmp_path, FOLDER_SIGN)
    edit = created(tmp_path, plan())
    put(tmp_path, edit.file, edit.after.decode())
    draft = Draft(SourceTree(tmp_path))
    add_backend_tests(plan(), draft)
    assert draft.change_set().edits == ()


def test_another_file_in_the_way(tmp_path: Path) -> None:
    put(tmp_path, FOLDER_SIGN)
    put(tmp_path, "tests/models/transformers/test_toy.py", "x = 1\n")
    with pytest.raises(Refused, match=r"test_toy\.py exists already"):
        add_backend_tests(plan(), Draft(SourceTree(tmp_path)))


def test_tree_without_tests(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="has neither"):
        add_backend_tests(plan(), Draft(SourceTree(tmp_path)))


def test_nothing_asked(tmp_path: Path) -> None:
    draft = Draft(SourceTree(tmp_path))
    add_backend_tests(RetirementPlan(()), draft)
    assert draft.change_set().edits == ()
