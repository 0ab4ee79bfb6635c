"""What the rules about parallel plans share: a configuration has one, or the backend does something without it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from analyzer.engine.backend_plans import WithoutPlan
from rules.findings import Finding, Level
from rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.backend_plans import PlanDemand
    from analyzer.release.hugging_face_model import HuggingFaceModel
    from analyzer.release.parallel_plans import ParallelPlan
    from rules.rule import Subject


class PlanRule(Rule):
    """Compares the plan of the (text) configuration class with what the backend demands."""

    attribute: ClassVar[str]
    """The attribute of a configuration class that holds the plan."""
    inferred: ClassVar[str]
    """What a backend that infers does, in words that fit behind "this backend"."""

    @abstractmethod
    def plan(self, model: HuggingFaceModel) -> ParallelPlan | None:
        """The plan of `model`."""

    @abstractmethod
    def demand(self, subject: Subject) -> PlanDemand:
        """What the backend does without one."""

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
                self.smoke(model),
            )
            return
        plan = self.plan(model)
        if plan is not None and plan.unread:
            yield self.finding(
                Level.UNPROVEN,
                f"{model.configuration_class} computes {self.attribute}, which reading does not follow",
                plan.location,
                self.smoke(model, f" --{self.capability} 2"),
            )
        elif plan is None or not plan.entries:
            yield self._without(self.demand(subject), model)

    def _without(self, demand: PlanDemand, model: HuggingFaceModel) -> Finding:
        missing = f"{model.configuration_class} has no {self.attribute}"
        match demand.without:
            case WithoutPlan.RAISES:
                return self.finding(
                    Level.LOSES,
                    f"{missing}, and this backend raises without one ({demand.location})",
                    model.configuration,
                    f"Add {self.attribute} to the configuration class.",
                )
            case WithoutPlan.INFERS:
                message = f"{missing}; this backend {self.inferred} ({demand.location})"
                return self.finding(Level.NOTE, message, model.configuration, "")
            case _:
                return self.finding(
                    Level.UNPROVEN,
                    f"{missing}, and the backend's source does not say what it does without one",
                    model.configuration,
                    self.smoke(model, f" --{self.capability} 2"),
                )
