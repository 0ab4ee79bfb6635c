"""From findings to a verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.model_names import ServedOtherwise
from rules.assessment import Assessor
from rules.findings import Capability, Level
from rules.remedies import OTHERWISE
from rules.rule import Snippet
from rules.snippets import BESPOKE, CONFIGURATION, MODELING, PP_PLAN_LINES, TP_PLAN_LINES, changed
from rules.verdict import CapabilityVerdict, Status, Verdict, together
from tests.toy import assess_toy, open_toy

if TYPE_CHECKING:
    from pathlib import Path

    from rules.verdict import Judgement

NO_TP = changed(CONFIGURATION, TP_PLAN_LINES, "")
NO_PP = changed(CONFIGURATION, PP_PLAN_LINES, "")
PARALLEL = f"{BESPOKE}\n\nclass ToyAttention:\n    def __init__(self):\n        self.qkv = QKVParallelLinear(1)\n"


def judged(folder: Path, snippet: Snippet) -> Judgement:
    return assess_toy(folder, snippet).judgement


def test_nothing_lost(tmp_path: Path) -> None:
    judgement = judged(tmp_path, Snippet(bespoke=PARALLEL))
    assert judgement.verdict is Verdict.RETIRE
    assert (judgement.losses, judgement.unproven) == ((), ())
    assert judgement.capabilities[Capability.COMPILE].status is Status.GAINED
    assert judgement.capabilities[Capability.MULTIMODAL].status is Status.ABSENT


def test_losses(tmp_path: Path) -> None:
    judgement = judged(tmp_path, Snippet(configuration=NO_TP, bespoke=PARALLEL))
    assert judgement.verdict is Verdict.RETIRE_WITH_LOSSES
    assert judgement.losses == (Capability.TENSOR_PARALLEL,)


def test_a_loss_of_what_never_was_is_a_note(tmp_path: Path) -> None:
    judgement = judged(tmp_path, Snippet(configuration=NO_PP, bespoke="class ToyForCausalLM(nn.Module): ..."))
    (finding,) = [f for f in judgement.findings if f.rule == "pp-plan"]
    assert finding.level is Level.NOTE
    assert judgement.capabilities[Capability.PIPELINE_PARALLEL].status is Status.ABSENT
    assert judgement.verdict is Verdict.RETIRE


def test_unproven(tmp_path: Path) -> None:
    modeling = MODELING.replace("self.lm_head", "self.embed_out")
    judgement = judged(tmp_path, Snippet(modeling=modeling, bespoke=PARALLEL))
    assert judgement.verdict is Verdict.UNPROVEN
    assert judgement.unproven == (Capability.LOAD,)


def test_what_cannot_load_has_nothing_else(tmp_path: Path) -> None:
    modeling = changed(MODELING, "self.o_proj = nn.Linear(", "self.o_proj = Conv1D(")
    judgement = judged(tmp_path, Snippet(modeling=modeling, bespoke="class ToyForCausalLM(nn.Module, SupportsPP): ..."))
    assert judgement.verdict is Verdict.KEEP
    assert not any(verdict.backend for verdict in judgement.capabilities.values())
    assert not [f for f in judgement.findings if f.level is Level.GAINS]


@pytest.mark.parametrize(
    ("bespoke", "backend", "status"),
    [
        (True, True, Status.KEPT),
        (False, True, Status.GAINED),
        (True, False, Status.LOST),
        (False, False, Status.ABSENT),
        (None, True, Status.UNPROVEN),
        (True, None, Status.UNPROVEN),
    ],
)
def test_status(bespoke: bool | None, backend: bool | None, status: Status) -> None:
    assert CapabilityVerdict(bespoke, backend).status is status


def test_the_worst_holds_for_all(tmp_path: Path) -> None:
    good = judged(tmp_path / "good", Snippet(bespoke=PARALLEL))
    bad = judged(tmp_path / "bad", Snippet(configuration=NO_TP, bespoke=PARALLEL))
    both = together([good, replace(bad, release="5.1.0")])
    assert both.release == "5.0.0, 5.1.0"
    assert both.losses == (Capability.TENSOR_PARALLEL,)


def test_a_finding_shared_by_architectures_is_told_once(tmp_path: Path) -> None:
    one = judged(tmp_path, Snippet(configuration=NO_TP, bespoke=PARALLEL))
    other = replace(one, findings=tuple(replace(f, architecture="TwinForCausalLM") for f in one.findings))
    both = together([one, other])
    assert len(both.findings) == len(one.findings)
    assert {f.architecture for f in both.findings} == {""}


def test_a_finding_is_as_grave_as_for_the_worst(tmp_path: Path) -> None:
    one = judged(tmp_path, Snippet(configuration=NO_TP, bespoke=PARALLEL))
    noted = tuple(replace(f, level=Level.NOTE, architecture="TwinForCausalLM") for f in one.findings)
    for judgements in ([one, replace(one, findings=noted)], [replace(one, findings=noted), one]):
        assert {f.rule: f.level for f in together(judgements).findings}["tp-plan"] is Level.LOSES
        assert len(together(judgements).findings) == len(one.findings)


def test_load_unproven_is_unproven(tmp_path: Path) -> None:
    judgement = judged(tmp_path, Snippet(bespoke=PARALLEL))
    capabilities = judgement.capabilities | {Capability.LOAD: CapabilityVerdict(True, None)}
    assert replace(judgement, capabilities=capabilities).verdict is Verdict.UNPROVEN


def test_what_a_class_that_cannot_be_read_offers_is_not_known(tmp_path: Path) -> None:
    judgement = judged(tmp_path, Snippet(bespoke="ToyForCausalLM = make()\n"))
    assert judgement.verdict is Verdict.UNPROVEN
    assert set(judgement.unproven) == set(Capability)
    (finding,) = [f for f in judgement.findings if f.rule == "unread-class"]
    assert str(finding.location).startswith("vllm/model_executor/models/registry.py:")


WRONG = changed(
    MODELING, "self.layer_idx = layer_idx\n", "self.layer_idx = layer_idx\n        self.is_causal = False\n"
)


def served(folder: Path, modeling: str, configuration: str = CONFIGURATION) -> Judgement:
    """The toy model where the engine has no module for it."""
    engine, source = open_toy(folder, Snippet(modeling=modeling, configuration=configuration))
    model = ServedOtherwise("ToyForCausalLM", None)
    return Assessor(engine, (source,)).assess(model).judgement


def test_wrong_numbers_are_lost_though_no_class_was_ever_written(tmp_path: Path) -> None:
    judgement = served(tmp_path, WRONG)
    assert (judgement.verdict, judgement.losses) == (Verdict.RETIRE_WITH_LOSSES, (Capability.ACCURACY,))
    (finding,) = [f for f in judgement.findings if f.capability is Capability.ACCURACY]
    assert (finding.level, finding.remedy) == (Level.LOSES, OTHERWISE)


def test_the_numbers_of_a_model_without_a_class_are_transformers_own(tmp_path: Path) -> None:
    judgement = served(tmp_path, MODELING, NO_TP)
    assert judgement.verdict is Verdict.RETIRE
    assert judgement.capabilities[Capability.ACCURACY].status is Status.KEPT
    assert judgement.capabilities[Capability.TENSOR_PARALLEL].status is Status.ABSENT
    assert not [f for f in judgement.findings if "--accept" in f.remedy]
