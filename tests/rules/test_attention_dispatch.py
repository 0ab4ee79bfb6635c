"""What a backend that checks asks of attention modules, and one that does not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.model_names import BespokeModel
from rules.assessment import Assessor
from rules.attention_dispatch import CHECKED_BY
from rules.findings import Capability, Finding, Level
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import open_toy

if TYPE_CHECKING:
    from pathlib import Path

TOY = BespokeModel("toy", ("ToyForCausalLM",), whole=True)
INDEX = "        self.layer_idx = layer_idx\n"
SCALING = "scaling=1.0"


def told(folder: Path, modeling: str, *, checked: bool) -> list[Finding]:
    engine, source = open_toy(folder, Snippet(modeling=modeling))
    assessor = Assessor(engine, (source,))
    assessor.backend = replace(assessor.backend, fusers=(CHECKED_BY,) if checked else ())
    findings = assessor.assess(TOY).judgement.findings
    return [f for f in findings if f.rule == "attention-dispatch"]


def scaled(value: str) -> str:
    modeling = changed(MODELING, INDEX, f"{INDEX}        self.scale = {value}\n")
    return changed(modeling, SCALING, "scaling=self.scale")


@pytest.mark.parametrize("scaling", [SCALING, "scaling=self.scale", "scaling=0.125"])
def test_a_scale_that_can_be_read(tmp_path: Path, scaling: str) -> None:
    assert told(tmp_path, changed(MODELING, SCALING, scaling), checked=True) == []


@pytest.mark.parametrize(
    ("modeling", "message"),
    [
        (changed(MODELING, SCALING, "scaling=self.scale * 2"), "hands over scaling=self.scale * 2"),
        (changed(MODELING, INDEX, ""), "keeps no layer_idx"),
        (changed(MODELING, "        self.config = config\n", ""), "keeps no config"),
        (scaled("None"), "a scale that is None or a tensor"),
        (scaled("nn.Parameter(torch.ones(1))"), "a scale that is None or a tensor"),
    ],
)
def test_asked_by_a_backend_that_checks(tmp_path: Path, modeling: str, message: str) -> None:
    (finding,) = told(tmp_path, modeling, checked=True)
    assert finding.level is Level.BLOCKS
    assert message in finding.message
    assert told(tmp_path / "unchecked", modeling, checked=False) == []


@pytest.mark.parametrize("checked", [True, False])
def test_two_attentions_in_one_layer(tmp_path: Path, checked: bool) -> None:
    build = "self.self_attn = ToyAttention(config, layer_idx)"
    modeling = changed(MODELING, build, f"{build}\n        self.cross = ToyAttention(config, layer_idx)")
    (finding,) = told(tmp_path, modeling, checked=checked)
    assert finding.level is (Level.BLOCKS if checked else Level.LOSES)
    assert finding.capability is (Capability.LOAD if checked else Capability.ACCURACY)


def test_a_scale_that_is_a_number(tmp_path: Path) -> None:
    assert told(tmp_path, scaled("config.head_dim**-0.5"), checked=True) == []


def test_an_encoder(tmp_path: Path) -> None:
    (finding,) = told(tmp_path, changed(MODELING, INDEX, f"{INDEX}        self.is_causal = False\n"), checked=True)
    assert finding.capability is Capability.ACCURACY
    assert "is_causal" in finding.message
