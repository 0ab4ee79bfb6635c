"""The rule `tp-plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.backend import WithoutPlan
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION, TP_PLAN_LINES, changed

if TYPE_CHECKING:
    from collections.abc import Iterator


class TensorParallelPlan(Rule):
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
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(configuration=changed(CONFIGURATION, TP_PLAN_LINES, "")),
        Snippet(configuration=changed(CONFIGURATION, TP_PLAN_LINES, ""), backend="infers"),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Loses where the backend raises, a note where it infers, unproven where that or the plan cannot be read."""
        model = subject.model
        if model is None:
            return
        if not model.plan_readable:
            yield self.finding(
                Level.UNPROVEN,
                f"the checkpoint names the language model of {model.configuration_class}, so its plan cannot be read",
                model.configuration,
                "Run the smoke run on a checkpoint.",
            )
            return
        plan = model.tensor_parallel_plan
        if plan is not None and (plan.entries or plan.computed):
            return
        demand = subject.backend.tensor_parallel
        missing = f"{model.configuration_class} has no base_model_tp_plan"
        if demand.without is WithoutPlan.RAISES:
            yield self.finding(
                Level.LOSES,
                f"{missing}, and this backend raises without one ({demand.location})",
                model.configuration,
                "Add base_model_tp_plan to the configuration class, or --accept tensor-parallel.",
            )
        elif demand.without is WithoutPlan.INFERS:
            yield self.finding(
                Level.NOTE,
                f"{missing}; this backend shards what its fusers know and replicates the rest ({demand.location})",
                model.configuration,
                "",
            )
        else:
            yield self.finding(
                Level.UNPROVEN,
                f"{missing}, and the backend's source does not say what it does without one",
                model.configuration,
                "Run the smoke run with --tensor-parallel 2.",
            )
