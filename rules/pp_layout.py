"""The rule `pp-layout`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.engine.backend_plans import WithoutPlan
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION, MODELING, PP_PLAN_LINES, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.hugging_face_model import HuggingFaceModel
    from analyzer.release.parallel_plans import ParallelPlan
    from analyzer.release.stage_layout import StageLayout

_NORM = "        self.norm = nn.LayerNorm(config.hidden_size)\n"
_EMBEDDING = "        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)\n"
_EMBEDDED = "        hidden_states = self.embed_tokens(input_ids)\n"
_SCALED = """\
        inputs_embeds = self.embed_tokens(input_ids)
        hidden_states = inputs_embeds * self.config.hidden_size**0.5
"""
_NO_PLAN = changed(CONFIGURATION, PP_PLAN_LINES, "")


class PipelineLayout(Rule):
    """Whether the model can be cut into pipeline stages the way the backend cuts it.

    **What it does.** Where there is a plan, looks for each name of it among the children of the base model, and for
    the list of layers among them. Where the backend infers a plan, reads the decoder's children in order of
    declaration: there must be one list of layers, what is called before its loop must stand before it, and what is
    called after it behind it. Then what is done to the embedded input before that loop, and whether the loop keeps
    the order of the layers.

    **Why.** The backend gives what is declared before the layers to the first stage and what comes after them to
    the last. It raises on several lists of layers; a norm that is declared before the layers and used after them
    is missing on the stage that needs it. What a forward adds to the embeddings, or multiplies them with, before the
    layers is done again by every stage that takes hidden states for embeddings (Granite and GPTBigCode give other
    numbers in two stages), which reading alone does not settle. A plan that names what is not there (HrmText) fails
    on the first look.

    **How to mend.** Add `base_model_pp_plan` to the Hugging Face configuration, or put the declarations in the order
    of use.
    """

    code = "pp-layout"
    capability = Capability.PIPELINE_PARALLEL
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(), Snippet(configuration=_NO_PLAN, backend="infers"))
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(configuration=changed(CONFIGURATION, '        "norm": (', '        "final_norm": (')),
        Snippet(
            modeling=changed(changed(MODELING, _NORM, ""), _EMBEDDING, f"{_NORM}{_EMBEDDING}"),
            configuration=_NO_PLAN,
            backend="infers",
        ),
        Snippet(modeling=changed(MODELING, _EMBEDDED, _SCALED), configuration=_NO_PLAN, backend="infers"),
        Snippet(modeling=changed(MODELING, _EMBEDDED, _SCALED)),
        Snippet(modeling=changed(MODELING, "nn.ModuleList(", "nn.Sequential(*")),
        Snippet(modeling=changed(MODELING, "in self.layers:", "in reversed(self.layers):")),
        Snippet(
            modeling=changed(MODELING, _NORM, f"{_NORM}        self.more = nn.ModuleList([ToyLayer(config, 9)])\n"),
            configuration=_NO_PLAN,
            backend="infers",
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Loses pipeline parallel for names that are not there, several lists, and use out of order."""
        model = subject.model
        if model is None or subject.backend_class is None or not model.plan_readable or model.multimodal:
            return
        plan = model.pipeline_parallel_plan
        if plan is not None and plan.entries:
            found = [*self._missing(plan, model.stages), *self._not_a_list(plan, model.stages)]
        elif plan is None and subject.backend.pipeline_parallel.without is WithoutPlan.INFERS:
            found = list(self._out_of_order(model))
        else:
            return
        yield from found or self._done_again(model)
        yield from self._reordered(model)

    def _missing(self, plan: ParallelPlan, stages: StageLayout) -> Iterator[Finding]:
        missing = [e for e in plan.entries if e.pattern.partition(".")[0] not in stages.children]
        if missing and stages.children:
            names = ", ".join(entry.pattern for entry in missing)
            yield self.finding(
                Level.LOSES,
                f"the plan names {names}, and {stages.class_name} has no such child",
                missing[0].location,
                "Mend base_model_pp_plan.",
            )

    def _not_a_list(self, plan: ParallelPlan, stages: StageLayout) -> Iterator[Finding]:
        """A plan must name one list of layers; what is declared by a function of the model may be one."""
        names = [entry.pattern for entry in plan.entries]
        for name in set(names).intersection(stages.other_containers) if not stages.lists else ():
            yield self.finding(
                Level.LOSES,
                f"{stages.class_name} keeps {name} in no nn.ModuleList, and the backend cuts one into stages",
                stages.location,
                "Keep the layers in an nn.ModuleList.",
            )

    def _reordered(self, model: HuggingFaceModel) -> Iterator[Finding]:
        if model.passes.reordered is not None:
            yield self.finding(
                Level.LOSES,
                f"{model.stages.class_name} runs its layers in another order than they are declared in, by which the "
                "backend gives them to stages",
                model.passes.reordered,
                "Declare the layers in the order in which they run.",
            )

    def _out_of_order(self, model: HuggingFaceModel) -> Iterator[Finding]:
        stages = model.stages
        remedy = "Add base_model_pp_plan to the configuration class."
        if len(stages.lists) != 1:
            count = "no list of layers" if not stages.lists else f"several lists: {', '.join(stages.lists)}"
            yield self.finding(
                Level.LOSES, f"{stages.class_name} has {count}, and the backend cuts one", stages.location, remedy
            )
            return
        for names, told in (
            (stages.first_used_late, "declared before the layers and used after them"),
            (stages.last_used_early, "declared after the layers and used before them"),
        ):
            if names:
                yield self.finding(
                    Level.LOSES,
                    f"{', '.join(names)} of {stages.class_name} is {told}: it is missing on the stage that needs it",
                    stages.location,
                    remedy,
                )

    def _done_again(self, model: HuggingFaceModel) -> Iterator[Finding]:
        stages = model.stages
        if stages.done_to_input:
            yield self.finding(
                Level.UNPROVEN,
                f"{stages.class_name} does `{stages.done_to_input[0]}` before its layers: a later stage, which gets "
                "hidden states for embeddings, may do it again",
                stages.location,
                f"`retire-model check {model.architecture} --probe` compares two stages with one.",
            )
