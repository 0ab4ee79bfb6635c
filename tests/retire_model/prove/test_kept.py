"""The file of results: whole lines, whatever happens to those who write it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem
from retire_model.prove.kept import KeptResults
from retire_model.prove.results import Word, result_of
from tests.retire_model.prove.fake import case, ended, reported

if TYPE_CHECKING:
    from pathlib import Path

FIRST = result_of(case(), ended(reported("passed")), 1)
SECOND = replace(FIRST, key="other", outcome=Word.NOT_RUN)


def test_what_is_added_is_there(tmp_path: Path) -> None:
    kept = KeptResults(tmp_path / "some" / "results.jsonl")
    assert kept.read() == {}
    kept.add(FIRST)
    kept.add(SECOND)
    again = replace(FIRST, outcome=Word.FAILED)
    kept.add(again)
    assert kept.read() == {FIRST.key: again, "other": SECOND}


def test_a_half_written_line_goes(tmp_path: Path) -> None:
    kept = KeptResults(tmp_path / "results.jsonl")
    kept.add(FIRST)
    whole = kept.file.read_bytes()
    kept.file.write_bytes(whole + whole[:-9])
    assert kept.read() == {FIRST.key: FIRST}
    kept.add(SECOND)
    assert kept.file.read_bytes().startswith(whole + b"{")
    assert list(kept.read()) == [FIRST.key, "other"]
    # A line that is whole but for its end is half a line, too.
    kept.file.write_bytes(whole[:-1])
    assert kept.read() == {}
    kept.add(SECOND)
    assert list(kept.read()) == ["other"]


@pytest.mark.parametrize("line", ["", "null", "[]", "{}", '{"version": 2}', '{"version": 1}', "\\xff", "1"])
def test_other_lines_are_passed_over(tmp_path: Path, line: str) -> None:
    kept = KeptResults(tmp_path / "results.jsonl")
    kept.file.write_text(f"{line}\n")
    kept.add(FIRST)
    assert kept.read() == {FIRST.key: FIRST}


def test_a_wrong_outcome_is_passed_over(tmp_path: Path) -> None:
    kept = KeptResults(tmp_path / "results.jsonl")
    kept.add(FIRST)
    told = json.loads(kept.file.read_text())
    for wrong in ({"outcome": "splendid"}, {"key": 3}, {"command": None}, {"more": 1}):
        kept.file.write_text(json.dumps(told | wrong) + "\n")
        assert kept.read() == {}


def test_no_room(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="cannot read the results in"):
        KeptResults(tmp_path).read()
    with pytest.raises(EnvironmentProblem, match="cannot write the results in"):
        KeptResults(tmp_path).add(FIRST)
