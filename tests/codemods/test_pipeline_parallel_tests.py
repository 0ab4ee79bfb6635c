"""Checkpoints without pipeline parallel leave the pipeline-parallel tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import UnreadableSource
from codemods.edits import Draft
from codemods.pipeline_parallel_tests import PIPELINE_PARALLEL_TESTS, drop_pipeline_parallel_tests
from tests.codemods.small_tree import drafted, plan_of, retired, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.plan import RetiredArchitecture

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


def dropped(folder: Path, *architectures: RetiredArchitecture, tests: str | None = TESTS) -> Draft:
    draft = Draft(write_tree(folder, {PIPELINE_PARALLEL_TESTS: tests} if tests is not None else {}))
    drop_pipeline_parallel_tests(plan_of(*architectures), draft)
    return draft


def test_dictionaries_and_lists_lose_the_checkpoint(tmp_path: Path) -> None:
    draft = dropped(tmp_path, retired("Pear", checkpoints=("org/pear", "org/other")))
    expected = TESTS.replace('    "org/pear": Settings.fast(\n        load="dummy"\n    ),\n', "")
    assert drafted(draft, PIPELINE_PARALLEL_TESTS) == expected.replace('SOME = [\n    "org/pear",\n', "SOME = [\n")
    assert draft.change_set().edits[0].reasons == ("no pipeline parallel: org/pear",)
    drop_pipeline_parallel_tests(plan_of(retired("Pear", checkpoints=("org/pear",))), draft)
    assert len(draft.change_set().edits[0].reasons) == 1


def test_several_items_on_a_line(tmp_path: Path) -> None:
    draft = dropped(tmp_path, retired("Plum", checkpoints=("org/plum",)), retired("A", checkpoints=("org/apple",)))
    text = drafted(draft, PIPELINE_PARALLEL_TESTS)
    assert 'SOME = [\n    "org/pear",\n]' in text
    assert "# apple" not in text


def test_what_keeps_pipeline_parallel_stays(tmp_path: Path) -> None:
    keeps = retired("Pear", pipeline_parallel=True, checkpoints=("org/pear",))
    loses = retired("OtherPear", checkpoints=("org/pear",))
    assert dropped(tmp_path, keeps).change_set().edits == ()
    assert dropped(tmp_path, keeps, loses).change_set().edits == ()
    assert dropped(tmp_path, retired("Fig", checkpoints=("org/fig",))).change_set().edits == ()


def test_a_tree_without_these_tests(tmp_path: Path) -> None:
    assert dropped(tmp_path, retired("Pear", checkpoints=("org/pear",)), tests=None).change_set().edits == ()


def test_tests_that_do_not_parse(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"test_pipeline_parallel\.py:1 is not valid Python"):
        dropped(tmp_path, retired("Pear", checkpoints=("org/pear",)), tests="MODELS = {")
