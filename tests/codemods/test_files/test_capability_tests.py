"""Checkpoints that lose a capability leave the tests of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import UnreadableSource
from codemods.edits import Draft
from codemods.test_files.capability_tests import CAPABILITY_FOLDERS, CAPABILITY_TESTS, drop_capability_tests
from rules.findings import Capability
from tests.codemods.small_tree import drafted, plan_of, write_tree
from tests.codemods.small_tree import retired as any_retired

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.plan import RetiredArchitecture

PIPELINE_PARALLEL_TESTS = "tests/distributed/test_pipeline_parallel.py"
PIPELINE_PARALLEL, TENSOR_PARALLEL = Capability.PIPELINE_PARALLEL, Capability.TENSOR_PARALLEL
TESTS = """\
MODELS = {
    # Uses pears
    "org/apple": Settings.fast(),  # apple
    "org/pear": Settings.fast(
        load="dummy"
    ),
    "org/pear-chat": Settings.fast(),
    # "org/pear": Settings.fast(),
}
POOLING: dict = {}
SOME = [
    "org/pear",
    "org/plum", "org/apple",
]
NAME = "org/pear"
"""


def retired(
    name: str, *, checkpoints: tuple[str, ...], losses: tuple[Capability, ...] = (PIPELINE_PARALLEL,)
) -> RetiredArchitecture:
    return any_retired(name, checkpoints=checkpoints, losses=losses)


def dropped(folder: Path, *architectures: RetiredArchitecture, tests: str | None = TESTS) -> Draft:
    draft = Draft(write_tree(folder, {PIPELINE_PARALLEL_TESTS: tests} if tests is not None else {}))
    drop_capability_tests(plan_of(*architectures), draft)
    return draft


def test_dictionaries_and_lists_lose_the_checkpoint(tmp_path: Path) -> None:
    draft = dropped(tmp_path, retired("Pear", checkpoints=("org/pear", "org/other")))
    expected = TESTS.replace('    "org/pear": Settings.fast(\n        load="dummy"\n    ),\n', "")
    assert drafted(draft, PIPELINE_PARALLEL_TESTS) == expected.replace('SOME = [\n    "org/pear",\n', "SOME = [\n")
    assert draft.change_set().edits[0].reasons == ("no pipeline parallel: org/pear",)
    drop_capability_tests(plan_of(retired("Pear", checkpoints=("org/pear",))), draft)
    assert len(draft.change_set().edits[0].reasons) == 1


def test_several_items_on_a_line(tmp_path: Path) -> None:
    draft = dropped(tmp_path, retired("Plum", checkpoints=("org/plum",)), retired("A", checkpoints=("org/apple",)))
    text = drafted(draft, PIPELINE_PARALLEL_TESTS)
    assert 'SOME = [\n    "org/pear",\n]' in text
    assert "# apple" not in text


def test_what_keeps_pipeline_parallel_stays(tmp_path: Path) -> None:
    keeps = retired("Pear", losses=(), checkpoints=("org/pear",))
    loses = retired("OtherPear", checkpoints=("org/pear",))
    assert dropped(tmp_path, keeps).change_set().edits == ()
    assert dropped(tmp_path, keeps, loses).change_set().edits == ()
    assert dropped(tmp_path, retired("Fig", checkpoints=("org/fig",))).change_set().edits == ()


def test_a_tree_without_these_tests(tmp_path: Path) -> None:
    assert dropped(tmp_path, retired("Pear", checkpoints=("org/pear",)), tests=None).change_set().edits == ()


def test_tests_that_do_not_parse(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"test_pipeline_parallel\.py:1 is not valid Python"):
        dropped(tmp_path, retired("Pear", checkpoints=("org/pear",)), tests="MODELS = {")


def test_each_file_follows_its_own_capability(tmp_path: Path) -> None:
    files = dict.fromkeys(CAPABILITY_TESTS, 'MODELS = ["org/pear", "org/fig"]\n')
    draft = Draft(write_tree(tmp_path, dict(files)))
    drop_capability_tests(plan_of(retired("Pear", checkpoints=("org/pear",), losses=(TENSOR_PARALLEL,))), draft)
    edited = {edit.file for edit in draft.change_set().edits}
    assert edited == {file for file, capability in CAPABILITY_TESTS.items() if capability is TENSOR_PARALLEL}
    assert len(edited) >= 3
    assert all(drafted(draft, file) == 'MODELS = ["org/fig"]\n' for file in edited)
    assert draft.change_set().edits[0].reasons == ("no tensor parallel: org/pear",)


PARAMETERS = """\
import pytest

MODELS = [("org/pear", "int8"), ("org/fig", "int4")]
ALONE = ["org/pear"]


@pytest.mark.parametrize("model", ["org/fig", pytest.param("org/pear", id="pear")])
@pytest.mark.parametrize("more", MODELS)
def test_all(model, more):
    run(model, other="org/pear")
"""


@pytest.mark.parametrize("capability", [Capability.LORA, Capability.QUANTIZATION, TENSOR_PARALLEL])
def test_parameters_in_the_folders_of_a_capability_follow_it(tmp_path: Path, capability: Capability) -> None:
    files = {f"{folder}/more/test_all.py": PARAMETERS for folder in (*CAPABILITY_FOLDERS, "tests/v1")}
    draft = Draft(write_tree(tmp_path, {**files}))
    drop_capability_tests(plan_of(retired("Pear", checkpoints=("org/pear",), losses=(capability,))), draft)
    edited = {edit.file for edit in draft.change_set().edits}
    assert edited == {f"{folder}/more/test_all.py" for folder, c in CAPABILITY_FOLDERS.items() if c is capability}
    shorter = PARAMETERS.replace('("org/pear", "int8"), ', "").replace(', pytest.param("org/pear", id="pear")', "")
    assert all(drafted(draft, file) == shorter for file in edited)
    assert all(edit.reasons == (f"no {capability}: org/pear",) for edit in draft.change_set().edits)


def test_parameters_stay_where_an_architecture_that_keeps_the_capability_has_the_checkpoint(tmp_path: Path) -> None:
    draft = Draft(write_tree(tmp_path, {f"{folder}/test_all.py": PARAMETERS for folder in CAPABILITY_FOLDERS}))
    loses = retired("Pear", checkpoints=("org/pear",), losses=tuple(CAPABILITY_FOLDERS.values()))
    drop_capability_tests(plan_of(loses, retired("Other", checkpoints=("org/pear",), losses=())), draft)
    assert draft.change_set().edits == ()
