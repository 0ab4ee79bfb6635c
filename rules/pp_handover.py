"""The rule `pp-handover`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.engine.backend_plans import WithoutPlan
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALL = "hidden_states = layer(hidden_states, **kwargs)"


class PipelineHandover(Rule):
    """Whether hidden states are all that one pipeline stage has to hand to the next.

    **What it does.** Reads the loop of the decoder over its layers: what it takes from a layer and asks it for, and
    what it hands to one besides hidden states, masks and positions.

    **Why.** The backend hands hidden states from stage to stage, and a later stage runs the same forward with them in
    place of the embedded input and without token ids. In place of a layer that is on another stage stands one that
    gives back its first argument: a loop that takes a tuple apart (`layer_outputs[0]`, `hidden_states, aux = …`) cuts
    that tensor to pieces, and one that asks the layer for an attribute (`decoder_layer.attention_type`) breaks. What
    is made of the token ids for every layer (Gemma 3n's inputs per layer), or is kept in a
    dictionary by one layer for another, is not there on a later stage.

    **How to mend.** Let the Hugging Face layer give back a tensor, as most do since Transformers 5. For the rest keep
    the model on one stage, or accept the loss (`--accept pipeline-parallel`).
    """

    code = "pp-handover"
    capability = Capability.PIPELINE_PARALLEL
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=changed(MODELING, _CALL, "hidden_states = layer(hidden_states, **kwargs)[0]")),
        Snippet(modeling=changed(MODELING, _CALL, "hidden_states, _ = layer(hidden_states, **kwargs)")),
        Snippet(modeling=changed(MODELING, _CALL, "hidden_states = layer(hidden_states, masks[layer.kind], **kwargs)")),
        Snippet(modeling=changed(MODELING, _CALL, "hidden_states = layer(hidden_states, input_ids, **kwargs)")),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Loses pipeline parallel where a layer's result is taken apart, unproven for all else that is handed on."""
        model = subject.model
        if model is None or subject.backend_class is None or not model.plan_readable:
            return
        if model.pipeline_parallel_plan is None and (
            subject.backend.pipeline_parallel.without is not WithoutPlan.INFERS
        ):
            return
        name, handover = model.stages.class_name, model.handover
        if handover.taken_apart is not None:
            yield self.finding(
                Level.LOSES,
                f"{name} takes apart what a layer gives back, and the backend's stand-in for a layer of another stage "
                "gives back a tensor",
                handover.taken_apart,
                "Let the Hugging Face layer give back its hidden states alone.",
            )
            return
        for attribute, location in handover.asked[:1]:
            yield self.finding(
                Level.LOSES,
                f"{name} asks each layer for {attribute}, which the stand-in for a layer of another stage lacks",
                location,
                "Let the Hugging Face model look it up in its configuration, by the layer's index.",
            )
        probe = f"`retire-model check {model.architecture} --probe` compares two stages with one."
        for variable, location in handover.made_of_input:
            yield self.finding(
                Level.UNPROVEN,
                f"{name} hands its layers {variable}, made of the input, of which a later stage has hidden states only",
                location,
                probe,
            )
        for variable, location in handover.shared:
            yield self.finding(
                Level.UNPROVEN,
                f"{name} hands its layers {variable}, in which one may keep what another needs on a later stage",
                location,
                probe,
            )
