"""What the rules about sharded projections share: each tells the problems of one cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule
from rules.sharding import Cause, shard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.rule import Subject


class ShardingRule(Rule):
    """Loses tensor parallel for each problem of `cause`."""

    capability = Capability.TENSOR_PARALLEL
    cause: ClassVar[Cause]
    remedy: ClassVar[str]

    def check(self, subject: Subject) -> Iterator[Finding]:
        """One finding a problem; none where the plan cannot be read."""
        if subject.model is None or not subject.model.plan_readable:
            return
        plan = subject.model.tensor_parallel_plan
        if plan is not None and plan.unread:
            return
        for problem in shard(subject.model, subject.backend.fusers).problems:
            if problem.cause is self.cause:
                yield self.finding(Level.LOSES, problem.message, problem.location, self.remedy)
