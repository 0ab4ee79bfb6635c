"""The rule `pp-plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.backend import WithoutPlan
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION, PP_PLAN_LINES, changed

if TYPE_CHECKING:
    from collections.abc import Iterator


class PipelineParallelPlan(Rule):
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
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, "")),
        Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, ""), backend="infers"),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Loses where the backend raises, unproven where the plan cannot be read, a note where it infers."""
        model = subject.model
        if model is None or subject.backend_class is None:
            return
        if not model.plan_readable:
            yield self.finding(
                Level.UNPROVEN,
                f"the checkpoint names the language model of {model.configuration_class}, so its plan cannot be read",
                model.configuration,
                "Run the smoke run on a checkpoint.",
            )
            return
        plan = model.pipeline_parallel_plan
        if plan is not None and (plan.entries or plan.computed):
            return
        demand = subject.backend.pipeline_parallel
        missing = f"{model.configuration_class} has no base_model_pp_plan"
        if demand.without is WithoutPlan.RAISES:
            yield self.finding(
                Level.LOSES,
                f"{missing}, and this backend raises without one ({demand.location})",
                model.configuration,
                "Add base_model_pp_plan to the configuration class, or --accept pipeline-parallel.",
            )
        elif demand.without is WithoutPlan.INFERS:
            yield self.finding(
                Level.NOTE,
                f"{missing}; this backend infers the split from the order of its layers ({demand.location})",
                model.configuration,
                "",
            )
        else:
            yield self.finding(
                Level.UNPROVEN,
                f"{missing}, and the backend's source does not say what it does without one",
                model.configuration,
                "Run the smoke run with --pipeline-parallel 2.",
            )
