"""The rule `tp-plan-coverage`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from rules.findings import Finding, Level
from rules.rule import Snippet, Subject
from rules.sharding import Cause, shard
from rules.sharding_rule import ShardingRule
from rules.snippets import CONFIGURATION, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.hugging_face_model import HuggingFaceModel

FEW_HEADS = 8
"""Key-value heads below which a node of eight devices has more ranks than heads."""
_OUTPUT = '        "layers.*.self_attn.o_proj": "rowwise",\n'
_VALUE = '        "layers.*.self_attn.v_proj": "colwise",\n'


class TensorParallelPlanCoverage(ShardingRule):
    """Whether the plan and the backend's fusers together shard the model without a gap.

    **What it does.** Gives each linear the style that the backend gives it: the first fuser that fits, else the
    first pattern of the plan that matches its name from the start, else a replica on every rank. Then looks for a
    linear that is handed one rank's part and is not rowwise, for a rowwise one whose input nothing split, for
    styles that the backend does not know (they become replicas in silence) and for patterns that match nothing.

    **Why.** Fusers shard what they recognise whether or not a plan goes on from there. In BitNet a norm stands
    before the output projection, in Lfm2 the activation is a function: the fused half of the block is sharded,
    the other half is not, and two ranks fail with "shape '[-1, 256]' is invalid for input of size 128".

    **How to mend.** Name the linear in `base_model_tp_plan`. Replicas cost memory alone; a pattern that matches
    nothing is mostly for a module that other settings build.
    """

    code = "tp-plan-coverage"
    cause = Cause.COVERAGE
    remedy = "Name the linear in base_model_tp_plan"
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(configuration=changed(CONFIGURATION, _OUTPUT, "")),
        Snippet(configuration=changed(CONFIGURATION, _VALUE, _VALUE.replace("colwise", "diagonal"))),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Losses where a part meets a whole, notes about replicas, unknown styles and idle patterns."""
        yield from super().check(subject)
        model = subject.model
        if model is None or model.tensor_parallel_plan is None:
            return
        known = subject.backend.parallel_styles
        strange = [e for e in model.tensor_parallel_plan.entries if known and e.style and e.style not in known]
        of_linears = [e for e in strange if _matches(model, e.pattern)]
        if of_linears:
            styles = ", ".join(sorted({e.style for e in of_linears}))
            yield self.finding(
                Level.NOTE,
                f"this backend does not know the style {styles}: what it stands for is replicated",
                of_linears[0].location,
                "",
            )
        heads = model.key_value_heads
        if heads is not None and heads < FEW_HEADS and not subject.backend.fusers:
            yield self.finding(
                Level.NOTE,
                f"{model.configuration_class} has {heads} key-value heads by default, and this backend has no fuser "
                "that gives several ranks one head: more ranks than heads do not work",
                model.tensor_parallel_plan.location,
                "",
            )
        replicas = [s for s in shard(model, subject.backend.fusers).linears if not s.reached_by]
        if replicas:
            names = ", ".join(f"{s.module}.{s.name}" for s in replicas[:6]) + (" …" if len(replicas) > 6 else "")
            yield self.finding(
                Level.NOTE,
                f"every rank holds all of {names}: neither the plan nor a fuser reaches them",
                model.tensor_parallel_plan.location,
                "",
            )


def _matches(model: HuggingFaceModel, pattern: str) -> bool:
    names = [module.qualified(linear) for module in model.projecting for linear in module.linears]
    return any(re.match(pattern, name) for name in names)
