"""The rule `tp-plan-coverage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Finding, Level
from rules.rule import Snippet, Subject
from rules.sharding import Cause, pattern_matches, shard
from rules.sharding_rule import ShardingRule
from rules.snippets import CONFIGURATION, TP_PLAN_LINES, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.backend import Backend
    from analyzer.release.hugging_face_model import HuggingFaceModel
    from analyzer.release.parallel_plans import ParallelPlan

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

    **How to mend.** Name each linear in `base_model_tp_plan`. Replicas cost memory alone; a pattern that matches
    nothing is mostly for a module that other settings build.
    """

    code = "tp-plan-coverage"
    cause = Cause.COVERAGE
    remedy = "Name each linear in base_model_tp_plan."
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(configuration=changed(CONFIGURATION, TP_PLAN_LINES, "    base_model_tp_plan = make_plan()\n")),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(configuration=changed(CONFIGURATION, _OUTPUT, "")),
        Snippet(configuration=changed(CONFIGURATION, _VALUE, _VALUE.replace("colwise", "diagonal"))),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Losses where a part meets a whole; notes about replicas, unknown styles, idle and overruled patterns."""
        yield from super().check(subject)
        model = subject.model
        if model is None or model.tensor_parallel_plan is None or model.tensor_parallel_plan.unread:
            return
        yield from self._notes(model, model.tensor_parallel_plan, subject.backend)

    def _notes(self, model: HuggingFaceModel, plan: ParallelPlan, backend: Backend) -> Iterator[Finding]:
        names = [module.qualified(linear) for module in model.projecting for linear in module.linears]
        matched = [e for e in plan.entries if any(pattern_matches(e.pattern, name) for name in names)]
        known = backend.parallel_styles
        strange = [e for e in matched if known and e.style and e.style not in known]
        if strange:
            styles = ", ".join(sorted({e.style for e in strange}))
            message = f"this backend does not know the style {styles}: what it stands for is replicated"
            yield self.finding(Level.NOTE, message, strange[0].location, "")
        held = model.attributes | {name.rpartition(".")[2] for name in names}
        idle = [e for e in plan.entries if e not in matched and not held & set(e.pattern.split(".")[-2:])]
        if idle:
            message = f"nothing that the model builds is called {', '.join(e.pattern for e in idle)}"
            yield self.finding(Level.NOTE, message, idle[0].location, "")
        if model.key_value_heads is not None and model.key_value_heads < FEW_HEADS and not backend.fusers:
            message = (
                f"{model.configuration_class} has {model.key_value_heads} key-value heads by default, and this backend "
                "has no fuser that gives several ranks one head: more ranks than heads do not work"
            )
            yield self.finding(Level.NOTE, message, plan.location, "")
        sharding = shard(model, backend.fusers)
        if sharding.overruled:
            told = ", ".join(f"{s.module}.{s.name} ({style})" for s, style in sharding.overruled)
            message = f"{sharding.overruled[0][0].reached_by} shards otherwise than the plan has it: {told}"
            yield self.finding(Level.NOTE, message, plan.location, "")
        replicas = [s for s in sharding.linears if not s.reached_by]
        if replicas:
            told = ", ".join(f"{s.module}.{s.name}" for s in replicas[:6]) + (" …" if len(replicas) > 6 else "")
            message = f"every rank holds all of {told}: neither the plan nor a fuser reaches them"
            yield self.finding(Level.NOTE, message, plan.location, "")
