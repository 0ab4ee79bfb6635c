"""All that changed from vLLM 0.24.0 to 0.25.0, reviewed as one change: ten retirements, done well by their authors."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from retire_model.review.command import review
from tests.retire_model.review.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.release


def test_only_what_was_forgotten_is_told(engine_0_24: Path, engine_0_25: Path, tmp_path: Path) -> None:
    root = tmp_path / "vllm"
    shutil.copytree(engine_0_24, root, symlinks=True)
    repository = Repository(root)
    repository.git("rm", "-rqf", ".")
    shutil.copytree(engine_0_25, root, symlinks=True, dirs_exist_ok=True)
    repository.commit("0.25.0: tensor parallel and pipeline parallel of GPTBigCode are lost")
    report = review(root, "base", "HEAD", ["5.5.3"], "")
    assert report.unasked == ()
    # Two files of expected results that no test of 0.25.0 reads any more.
    assert [told.remark.location.file for told in report.told] == [
        "tests/models/fixtures/musicflamingo/expected_results_batched.json",
        "tests/models/fixtures/musicflamingo/expected_results_single.json",
    ]
