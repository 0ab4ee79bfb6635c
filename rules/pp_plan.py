"""The rule `pp-plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability
from rules.plan_rule import PlanRule
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, PP_PLAN_LINES, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.backend_plans import PlanDemand
    from analyzer.release.hugging_face_model import HuggingFaceModel
    from analyzer.release.parallel_plans import ParallelPlan
    from rules.findings import Finding
    from rules.rule import Subject


class PipelineParallelPlan(PlanRule):
    """Whether the configuration has a pipeline parallel plan, and what this backend does without one.

    **What it does.** Reads `base_model_pp_plan` of the (text) configuration class, and from the backend's source
    whether it raises without a plan or infers the split from the model's one `nn.ModuleList`.

    **Why.** Up to vLLM 0.24 a model without a plan cannot run with `--pipeline-parallel-size` above 1. GPTBigCode
    lost pipeline parallel that way when it was moved: its docs row lost the tick and its checkpoint left the
    list of pipeline parallel tests.

    **How to mend.** Add `base_model_pp_plan` to the Hugging Face configuration, or accept the loss
    (`--accept pipeline-parallel`).
    """

    code = "pp-plan"
    capability = Capability.PIPELINE_PARALLEL
    attribute = "base_model_pp_plan"
    inferred = "infers the split from the order of its layers"
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, "")),
        Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, ""), backend="infers"),
        Snippet(
            configuration=changed(
                CONFIGURATION, PP_PLAN_LINES, "    base_model_pp_plan = {name: [] for name in NAMES}\n"
            )
        ),
    )

    def plan(self, model: HuggingFaceModel) -> ParallelPlan | None:
        """The plan of `model`."""
        return model.pipeline_parallel_plan

    def demand(self, subject: Subject) -> PlanDemand:
        """What the backend does without one."""
        return subject.backend.pipeline_parallel

    def check(self, subject: Subject) -> Iterator[Finding]:
        """As for every plan, where the backend has a class at all."""
        if subject.backend_class is not None:
            yield from super().check(subject)
