"""Each finding is told once, the gravest first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from analyzer.locations import Location
from retire_model.reports.findings_text import findings_text
from rules.findings import Capability, Finding, Level
from rules.verdict import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterable

LOSS = Finding("heads", Capability.TENSOR_PARALLEL, Level.LOSES, "reshapes", Location("toy.py", 7), "Write -1.", "A")
NOTE = Finding("plan", Capability.LOAD, Level.NOTE, "has no plan", Location("conf.py", 3), "", "A")
BLOCK = Finding("conv", Capability.LOAD, Level.BLOCKS, "A.x is a Conv1D", Location("toy.py", 9), "Keep the file.", "A")


def told(*judgements: Iterable[Finding], of_several: bool = False) -> list[str]:
    found = [Judgement(f"5.{number}", {}, tuple(findings)) for number, findings in enumerate(judgements)]
    return [line.plain for line in findings_text(found, of_several=of_several)]


def test_once_for_all_releases() -> None:
    assert told([LOSS], [LOSS]) == ["loses    reshapes  [heads]", "         toy.py:7", "         Write -1."]


def test_lines_that_differ() -> None:
    moved = replace(LOSS, location=Location("toy.py", 8))
    assert told([LOSS], [moved])[1] == "         toy.py:7 (5.0), :8 (5.1)"
    assert told([LOSS, moved])[1] == "         toy.py:7, :8"


def test_what_holds_for_some_releases_stands_apart() -> None:
    assert told([LOSS, NOTE], [LOSS]) == [
        *told([LOSS]),
        "with Transformers 5.0 alone:",
        "note     has no plan  [plan]",
        "         conf.py:3",
    ]


def test_the_gravest_first_and_what_to_do_once() -> None:
    other = replace(BLOCK, message="A.y is a Conv1D", location=Location("toy.py", 10))
    assert told([NOTE, BLOCK, LOSS, other]) == [
        "blocks   A.x is a Conv1D  [conv]",
        "         toy.py:9",
        "blocks   A.y is a Conv1D  [conv]",
        "         toy.py:10",
        "         Keep the file.",
        *told([LOSS]),
        *told([NOTE]),
    ]


@pytest.mark.parametrize(("architecture", "start"), [("B", "loses    B: reshapes"), ("", "loses    reshapes")])
def test_of_several_architectures_says_which(architecture: str, start: str) -> None:
    assert told([replace(LOSS, architecture=architecture)], of_several=True)[0].startswith(start)
    assert told([replace(BLOCK, message="A is one")], of_several=True)[0] == "blocks   A is one  [conv]"
