"""What models that build another by its name find in the backend's class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.model_names import find_model
from analyzer.release.hugging_face import HuggingFaceSource
from rules.assessment import Assessor
from rules.findings import Level
from rules.rule import Snippet
from rules.verdict import Verdict
from tests.toy import assess_toy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rules.findings import Finding

SEER = """
class Seer(nn.Module):
    def __init__(self, config):
        self.language_model = init_vllm_registered_model(config, architectures=["ToyForCausalLM"])
"""


def told(folder: Path, use: str) -> list[Finding]:
    judgement = assess_toy(folder, Snippet(dependent=SEER + use)).judgement
    assert judgement.verdict is Verdict.RETIRE
    return [finding for finding in judgement.findings if finding.rule == "built-by-name"]


def test_all_there(tmp_path: Path) -> None:
    (finding,) = told(tmp_path, "        self.head = self.language_model.lm_head\n")
    assert finding.level is Level.NOTE
    assert finding.message == ("Seer builds ToyForCausalLM by name; TransformersForCausalLM has lm_head that it uses")
    assert str(finding.location) == "vllm/model_executor/models/dependent.py:4"


def test_something_missing(tmp_path: Path) -> None:
    (finding,) = told(tmp_path, "        self.language_model.gone(1)\n")
    assert finding.level is Level.UNPROVEN
    assert finding.message == "Seer builds ToyForCausalLM by name; TransformersForCausalLM has no gone(…)"
    assert str(finding.location) == "vllm/model_executor/models/dependent.py:5"


def test_something_unclear(tmp_path: Path) -> None:
    (finding,) = told(tmp_path, "        self.language_model.lm_head.weight\n")
    assert finding.level is Level.UNPROVEN
    assert "whether TransformersForCausalLM has lm_head.weight cannot be read" in finding.message


def test_a_configuration_alone_is_no_model(tmp_path: Path) -> None:
    snippet = Snippet(dependent='override = {"architectures": ["ToyForCausalLM"]}\n')
    findings = assess_toy(tmp_path, snippet).judgement.findings
    assert [f for f in findings if f.rule == "built-by-name"] == []


@pytest.mark.release
def test_vision_models_of_0_33(engine_0_33: Path, transformers_release: Callable[[str], Path]) -> None:
    engine = open_engine_tree(engine_0_33)
    source = HuggingFaceSource(transformers_release("5.19.0"), "5.19.0")
    assessor = Assessor(engine, (source,))
    expected = {
        "gemma": ("PaliGemmaForConditionalGeneration", "paligemma.py:376", Verdict.RETIRE),
        "phi3": ("Phi4ForCausalLMV", "phi4siglip.py:377", Verdict.RETIRE_WITH_LOSSES),
    }
    for module, (owner, place, verdict) in expected.items():
        judgement = assessor.assess(find_model(engine, (source,), module)).judgement
        (finding,) = (f for f in judgement.findings if f.rule == "built-by-name")
        assert judgement.verdict is verdict
        assert finding.message.startswith(f"{owner} builds ")
        assert str(finding.location).endswith(place)
        assert "make_empty_intermediate_tensors that it uses" in finding.message
        assert "model(…) is the Hugging Face model's there" in finding.message
