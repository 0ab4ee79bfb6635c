"""Every rule of the catalogue against its own snippets and its own page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rules.catalogue import RULES, rule
from rules.findings import Level
from rules.rule import Rule, Snippet
from tests.toy import assess_toy

if TYPE_CHECKING:
    from pathlib import Path

CASES = [(r, s, wanted) for r in RULES for wanted, group in ((False, r.VALID), (True, r.INVALID)) for s in group]


def _name(value: object) -> str:
    return value.code if isinstance(value, Rule) else "invalid" if value is True else "valid"


@pytest.mark.parametrize(("found", "snippet", "reported"), CASES, ids=_name)
def test_snippet(found: Rule, snippet: Snippet, reported: bool, tmp_path: Path) -> None:
    findings = assess_toy(tmp_path, snippet).judgements[0].findings
    told = [f for f in findings if f.rule == found.code and f.level is not Level.NOTE]
    notes = [f for f in findings if f.rule == found.code and f.level is Level.NOTE]
    assert bool(told or (reported and notes)) is reported, findings


@pytest.mark.parametrize("found", RULES, ids=lambda r: r.code)
def test_page_says_what_why_and_how(found: Rule) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", found.code)
    assert found.VALID
    assert found.INVALID
    first, _, rest = found.page().partition("\n\n")
    assert first.endswith(".")
    for heading in ("**What it does.**", "**Why.**", "**How to mend.**"):
        assert heading in rest


def test_codes_are_unique_and_findable() -> None:
    codes = [r.code for r in RULES]
    assert len(set(codes)) == len(codes)
    assert all(rule(code) is found for code, found in zip(codes, RULES, strict=True))
    assert rule("no-such-rule") is None
