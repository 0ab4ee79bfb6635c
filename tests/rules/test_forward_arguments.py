"""What the backend hands to the model for its own attention, and where it gets lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.model_names import BespokeModel
from rules.assessment import Assessor
from rules.findings import Level
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import open_toy

if TYPE_CHECKING:
    from pathlib import Path

TOY = BespokeModel("toy", ("ToyForCausalLM",), whole=True)
BUILDS = "        self.self_attn = ToyAttention(config, layer_idx)\n"
LAYER = "\n    def forward(self, hidden_states, **kwargs):\n        return self.self_attn(hidden_states, **kwargs)\n"
HANDS_ON = changed(MODELING, BUILDS, BUILDS + LAYER)


def blocked(folder: Path, modeling: str, handed: tuple[str, ...]) -> list[str]:
    engine, source = open_toy(folder, Snippet(modeling=modeling))
    assessor = Assessor(engine, (source,))
    attention = replace(
        assessor.backend.attention, arguments=assessor.backend.attention.arguments | {"layers_of_engine"}
    )
    assessor.backend = replace(assessor.backend, forward_arguments=handed, attention=attention)
    findings = assessor.assess(TOY).judgement.findings
    return [f.message for f in findings if f.rule == "forward-arguments" and f.level is Level.BLOCKS]


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("position_ids, **kwargs):", "position_ids):", "ToyModel"),
        ("layer(hidden_states, **kwargs)", "layer(hidden_states)", "ToyModel"),
        ("self.self_attn(hidden_states, **kwargs)", "self.self_attn(hidden_states)", "ToyLayer"),
        ("def forward(self, hidden_states, **kwargs):", "def forward(self, hidden_states):", "ToyLayer"),
        ("attention_mask=None, **kwargs):", "attention_mask=None):", "ToyAttention"),
        ("scaling=1.0, **kwargs)", "scaling=1.0)", "ToyAttention"),
    ],
)
def test_lost_on_the_way(tmp_path: Path, old: str, new: str, where: str) -> None:
    modeling = changed(HANDS_ON, old, new)
    (message,) = blocked(tmp_path, modeling, ("position_ids", "layers_of_engine"))
    assert message.startswith(f"the forward of {where} does not hand on layers_of_engine")
    assert blocked(tmp_path / "other", modeling, ("position_ids",)) == []


def test_handed_on(tmp_path: Path) -> None:
    handed = ("position_ids", "layers_of_engine")
    assert blocked(tmp_path, HANDS_ON, handed) == []
    named = HANDS_ON.replace("**kwargs", "layers_of_engine=layers_of_engine").replace(
        ", layers_of_engine=layers_of_engine):", ", layers_of_engine=None):"
    )
    assert blocked(tmp_path / "named", named, handed) == []
