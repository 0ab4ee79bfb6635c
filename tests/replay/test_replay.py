"""The parts of the replay that need no releases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from replay.reasons import Reason, read_reasons
from replay.retirements import ReplayedSet, Retirement, read_retirements, replayed_sets
from replay.scores import Difference, Score, score
from replay.table import details, summary, table

PEAR = Retirement("1.0", "1.1", "remove", "pear", ("PearForCausalLM",), "1.0")
DIFFERENCE = Difference("missed", "-", "docs/a.md", "about the pear")


def entry(name: str, value: object) -> dict[str, object]:
    return {"architecture": name, "value": value}


def fact(kind: str, module: str, *entries: dict[str, object]) -> dict[str, object]:
    return {"before": "1.0", "after": "1.1", "kind": kind, "module": module, "entries": entries}


def test_retirements_and_their_change_sets(tmp_path: Path) -> None:
    facts = [
        fact("remove", "pear", entry("PearForCausalLM", "1.0")),
        fact("migrate", "fig", entry("Fig", ["a", "b"])),
        fact("dropped", "date", entry("Date", None)),
        fact("remove", "plum", entry("Plum", "1.0")),
        fact("plugin", "kiwi", entry("Kiwi", "https://a.b")),
    ]
    (tmp_path / "facts.json").write_text(json.dumps(facts))
    retirements = read_retirements(tmp_path / "facts.json")
    assert retirements[0] == PEAR
    sets = replayed_sets(retirements)
    assert sets[0] == ReplayedSet("1.0", "remove", "1.0", ("PearForCausalLM", "Plum"))
    assert [s.options for s in sets] == [
        ("--remove", "--last-version", "1.0"),
        ("--accept", "all"),
        ("--plugin", "https://a.b"),
    ]


SCRIPT = """\
import json, sys
assert sys.argv[1:] == ["--before", "b", "--after", "a", "--tool", "t", "--arch", "PearForCausalLM"], sys.argv
part = {"missed": ["docs/a.md: about the pear"], "own": []}
deleted = {"pear.py": {"after": True, "tool": False}}
print(json.dumps({"deleted": deleted, "removed": part, "added": {"missed": [], "own": []}, "score": {"agree": 3}}))
"""


def test_a_score(tmp_path: Path) -> None:
    script = tmp_path / "score.py"
    script.write_text(SCRIPT)
    assert score(script, PEAR, Path("b"), Path("a"), Path("t")) == Score(PEAR, 3, (DIFFERENCE,), same_deletions=False)


def test_the_report() -> None:
    scores = [Score(PEAR, 3, (DIFFERENCE,), same_deletions=False)]
    known = Reason("1.0", "pear", "missed -", "docs/a.md", "pear", "a person has to write it")
    other = Reason("1.0", "pear", "own -", "docs/a.md", "pear", "no")
    assert "the module's file differs" in table(scores)
    assert details(scores, [other, known])[0] == 0
    assert "reason: a person has to write it" in details(scores, [known])[1]
    unexplained, text = details(scores, [other])
    assert unexplained == 1
    assert "reason: NONE" in text
    assert "agree 3, missed 1, own 0: 75.0% agreement, 1 lines without a reason" in summary(scores, unexplained)


def test_the_reasons_that_are_kept() -> None:
    reasons = read_reasons(Path(__file__).parents[2] / "fixtures/replay-reasons.toml")
    assert all(reason.reason and reason.contains for reason in reasons)
    assert len(set(reasons)) == len(reasons)


def test_a_reason_with_a_key_too_many(tmp_path: Path) -> None:
    (tmp_path / "reasons.toml").write_text('[[line]]\nbefore = "1.0"\nwhy = "x"\n')
    with pytest.raises(TypeError):
        read_reasons(tmp_path / "reasons.toml")
