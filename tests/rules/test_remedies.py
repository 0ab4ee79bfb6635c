"""What a reader is told to do about a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rules.findings import Level
from rules.remedies import STAY
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, TP_PLAN_LINES, changed
from tests.toy import assess_toy

if TYPE_CHECKING:
    from pathlib import Path

PARALLEL = "class ToyForCausalLM(nn.Module):\n    def __init__(self):\n        self.qkv = QKVParallelLinear(1)\n"
CASES = {
    "tp-plan": (
        Snippet(configuration=changed(CONFIGURATION, TP_PLAN_LINES, ""), bespoke=PARALLEL),
        Level.LOSES,
        "Add base_model_tp_plan to the configuration class, or --accept tensor-parallel.",
    ),
    "conv1d": (
        Snippet(modeling=changed(MODELING, "self.o_proj = nn.Linear(", "self.o_proj = Conv1D(")),
        Level.BLOCKS,
        "Let the Hugging Face class use nn.Linear, and keep the modeling file until then.",
    ),
    "no-hf-class": (
        Snippet(modeling=MODELING.replace("ToyForCausalLM", "ToyForMaskedLM")),
        Level.BLOCKS,
        "Try a later release (--transformers), and keep the modeling file until then.",
    ),
    "encoder-decoder": (
        Snippet(configuration=f"{CONFIGURATION}    is_encoder_decoder: bool = True\n"),
        Level.BLOCKS,
        STAY,
    ),
}


@pytest.mark.parametrize("rule", CASES)
def test_a_way_on_for_each_level(tmp_path: Path, rule: str) -> None:
    snippet, level, remedy = CASES[rule]
    found = [f for f in assess_toy(tmp_path, snippet).judgement.findings if f.rule == rule]
    assert [(f.level, f.remedy) for f in found] == [(level, remedy)]
