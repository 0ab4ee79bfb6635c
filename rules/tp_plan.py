"""The rule `tp-plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability
from rules.plan_rule import PlanRule
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, TP_PLAN_LINES, changed

if TYPE_CHECKING:
    from analyzer.engine.backend_plans import PlanDemand
    from analyzer.release.hugging_face_model import HuggingFaceModel
    from analyzer.release.parallel_plans import ParallelPlan
    from rules.rule import Subject


class TensorParallelPlan(PlanRule):
    """Whether the configuration has a tensor parallel plan, and what this backend does without one.

    **What it does.** Reads `base_model_tp_plan` of the (text) configuration class, and from the backend's source
    whether it raises without a plan or goes on and infers one.

    **Why.** Up to vLLM 0.24 a model without a plan cannot run with `--tensor-parallel-size` above 1; from 0.25
    on the backend shards the projections that it can fuse and replicates the rest. GPTBigCode was moved in 0.25
    without a plan: tensor parallel broke and was repaired weeks later.

    **How to mend.** Add `base_model_tp_plan` to the Hugging Face configuration, or accept the loss
    (`--accept tensor-parallel`).
    """

    code = "tp-plan"
    capability = Capability.TENSOR_PARALLEL
    attribute = "base_model_tp_plan"
    inferred = "shards what its fusers know and replicates the rest"
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(configuration=changed(CONFIGURATION, TP_PLAN_LINES, "")),
        Snippet(configuration=changed(CONFIGURATION, TP_PLAN_LINES, ""), backend="infers"),
        Snippet(configuration=changed(CONFIGURATION, TP_PLAN_LINES, "    base_model_tp_plan = make_plan()\n")),
    )

    def plan(self, model: HuggingFaceModel) -> ParallelPlan | None:
        """The plan of `model`."""
        return model.tensor_parallel_plan

    def demand(self, subject: Subject) -> PlanDemand:
        """What the backend does without one."""
        return subject.backend.tensor_parallel
