"""Attention that reading does not find, though its file has the interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rules.findings import Level
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import assess_toy

if TYPE_CHECKING:
    from pathlib import Path

LAYERS = "nn.ModuleList([ToyLayer(config, i) for i in range(config.num_hidden_layers)])"
LOOKUP = "ALL_ATTENTION_FUNCTIONS.get_interface(self.config._attn_implementation, eager)"


@pytest.mark.parametrize(
    "modeling",
    [
        MODELING.replace(LOOKUP, LOOKUP.replace("ALL_ATTENTION_FUNCTIONS", "AAF")).replace(
            "import ALL_ATTENTION_FUNCTIONS", "import ALL_ATTENTION_FUNCTIONS as AAF"
        ),
        changed(MODELING, LOOKUP, "look_up(self)") + f"\n\ndef look_up(self):\n    return {LOOKUP}\n",
        changed(MODELING, LAYERS, "build_layers(config)"),
        changed(MODELING, "class ToyLayer", "ToyAttention = wrapped(ToyAttention)\n\n\nclass ToyLayer"),
    ],
)
def test_unproven(tmp_path: Path, modeling: str) -> None:
    findings = assess_toy(tmp_path, Snippet(modeling=modeling)).judgement.findings
    assert {f.level for f in findings if f.rule == "attention-interface"} == {Level.UNPROVEN}
