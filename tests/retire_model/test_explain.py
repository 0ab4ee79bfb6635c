"""The pages in docs/rules are what `explain` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from retire_model.command import run
from retire_model.review.catalogue import QUESTIONS
from rules.catalogue import RULES
from rules.lint.catalogue import CHECKS

CODES = [*(rule.code for rule in RULES), *(check.code for check in CHECKS), *(q.code for q in QUESTIONS)]
PAGES = Path(__file__).parents[2] / "docs/rules"


@pytest.mark.parametrize("code", CODES)
def test_page_is_up_to_date(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", code, "--format", "markdown"]) == 0
    assert (PAGES / f"{code}.md").read_text() == capsys.readouterr().out, "run `make docs`"


def test_there_is_no_page_without_a_rule() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(CODES)
