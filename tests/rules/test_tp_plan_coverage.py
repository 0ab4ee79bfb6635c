"""The notes about a tensor parallel plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rules.rule import Snippet
from rules.snippets import CONFIGURATION, changed
from tests.toy import assess_toy

if TYPE_CHECKING:
    from pathlib import Path

OUTPUT = '        "layers.*.self_attn.o_proj": "rowwise",\n'


@pytest.mark.parametrize(
    ("configuration", "note"),
    [
        (
            changed(CONFIGURATION, OUTPUT, f'{OUTPUT}        "layers.*.mlp.up": "colwise",\n'),
            "is called layers.*.mlp.up",
        ),
        (changed(CONFIGURATION, OUTPUT, f'{OUTPUT}        "((((": "sideways",\n'), "is called (((("),
        (f"{CONFIGURATION}    num_key_value_heads: int = 2\n", "has 2 key-value heads by default"),
        (changed(CONFIGURATION, OUTPUT, OUTPUT.replace("rowwise", "sideways")), "does not know the style sideways"),
    ],
)
def test_notes(tmp_path: Path, configuration: str, note: str) -> None:
    findings = assess_toy(tmp_path, Snippet(configuration=configuration)).judgement.findings
    assert any(note in f.message for f in findings if f.rule == "tp-plan-coverage"), findings
