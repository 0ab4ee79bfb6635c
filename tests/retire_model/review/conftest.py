"""The small engine tree in a repository, and a release of Transformers in which the toy model loses something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from retire_model.command import run
from retire_model.review.command import review
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, PP_PLAN_LINES, changed
from tests.retire_model.review.repositories import Repository
from tests.rules.lint.sound_tree import SoundTree
from tests.toy import write_release

if TYPE_CHECKING:
    from pathlib import Path

    from retire_model.review.report import Report

NO_PIPELINE = Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, ""))


@dataclass
class Reviewed:
    """A repository on its branch, with the release it is judged against."""

    repository: Repository
    release: Path

    def retire(self) -> None:
        """What the tool itself would do."""
        options = ["--engine", str(self.repository.root), "--transformers", str(self.release), "--accept", "all"]
        assert run(["toy", *options, "--write"]) == 0

    def report(self, words: str = "") -> Report:
        return review(self.repository.root, "base", "HEAD", [str(self.release)], words)

    def told(self, words: str = "") -> list[str]:
        return [f"{told.remark.location} {told.remark.code}" for told in self.report(words).told]

    def text(self, output_format: str) -> str:
        output = self.repository.root.parent / "output"
        options = ["--engine", str(self.repository.root), "--transformers", str(self.release), "--output", str(output)]
        run(["review", "--base", "base", "--format", output_format, *options])
        return output.read_text()


@pytest.fixture
def small(tmp_path: Path) -> Reviewed:
    return Reviewed(Repository(SoundTree(tmp_path).root), write_release(tmp_path, NO_PIPELINE))
