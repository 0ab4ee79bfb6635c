"""What is tried again, and what a case comes to."""

from __future__ import annotations

import pytest

from retire_model.prove.attempts import Ending, NoReport
from retire_model.prove.results import Result, Word, exit_status, result_of
from retire_model.prove.running import run_cases
from tests.retire_model.prove.fake import Workers, case, ended, reported

LOST = NoReport("the worker is gone")
LATE = NoReport("not done within 9 seconds", again=False)
PASSED = reported("passed", "inconclusive")


@pytest.mark.parametrize(
    ("endings", "outcome", "attempts"),
    [
        ([PASSED], Word.PASSED, 1),
        ([LOST, LOST, PASSED], Word.PASSED, 3),
        ([LOST, LOST, LOST], Word.NOT_RUN, 3),
        ([LATE], Word.NOT_RUN, 1),
        ([reported("passed", "not run"), reported("failed", "not run")], Word.FAILED, 2),
        ([reported("inconclusive")], Word.INCONCLUSIVE, 1),
        ([reported()], Word.INCONCLUSIVE, 1),
    ],
)
def test_attempts(endings: list[Ending], outcome: Word, attempts: int) -> None:
    found: list[Result] = []
    left = list(endings)
    run_cases([case()], Workers({"ToyForCausalLM": left}), 2, found.append)
    assert [(result.outcome, result.attempts) for result in found] == [(outcome, attempts)]
    assert left == []


def test_why() -> None:
    assert result_of(case(), ended(LATE), 1).reason == LATE.reason
    assert result_of(case(), ended(reported("passed", "failed")), 1).reason == "check 1: said 1"
    other = result_of(case(), ended(reported("passed", versions={"Transformers": "4.0"})), 1)
    assert other.outcome is Word.NOT_RUN
    assert other.reason == "the engine's Python on here has Transformers 4.0"


@pytest.mark.parametrize(
    ("words", "status"),
    [("passed", 0), ("passed failed", 1), ("passed not-run", 2), ("inconclusive", 2), ("failed not-run", 1)],
)
def test_exit_status(words: str, status: int) -> None:
    results = [result_of(case(), ended(reported(word.replace("-", " "))), 1) for word in words.split()]
    assert exit_status(results) == status
