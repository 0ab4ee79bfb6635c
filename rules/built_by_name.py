"""The rule `built-by-name`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.source.members import Answer
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.uses.sub_model_needs import SubModelNeeds
    from analyzer.uses.sub_models import Use


class BuiltByName(Rule):
    """Whether models that build this one by its architecture's name still find in it what they use.

    **What it does.** Looks for classes that name the architecture in `architectures` and have the registry build it,
    lists what they take of the result, and looks for each of these in the backend's class and what it inherits. A
    call of the inner `model` is told apart: there the backend has the Hugging Face model, which takes other arguments
    and returns an object, not the hidden states.

    **Why.** Many multimodal models name their language model instead of importing it. The registry then gives them
    the backend's class without a word: what that lacks fails when the other model is built or first run, and no test
    of the retired model sees it. It is nothing that this model loses, so the verdict does not change: where all is
    there the finding is a note, where something is missing or other it is `unproven`, about the capability that
    such models are mostly for.

    **How to mend.** Let the other model call the language model itself (`self.language_model(…)`, which both classes
    take with the engine's arguments) instead of its inner `model`, and take what is missing from elsewhere. Or judge
    and retire the two together.
    """

    code = "built-by-name"
    capability = Capability.MULTIMODAL
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(
            dependent="""
class SeerForConditionalGeneration(nn.Module):
    def __init__(self, config):
        self.language_model = init_vllm_registered_model(config, architectures=["ToyForCausalLM"])

    def compute_logits(self, hidden_states):
        return self.language_model.logits_processor(self.language_model.lm_head, hidden_states)
"""
        ),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            dependent="""
class SeerForConditionalGeneration(nn.Module):
    def __init__(self, config):
        self.language_model = init_vllm_registered_model(config, architectures=["ToyForCausalLM"])
        self.scale = self.language_model.embedding_scale
"""
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """One finding for each class that builds the architecture."""
        if subject.bespoke is None or subject.model is None:
            return
        for needs in subject.sub_models():
            if needs.sub_model.owner:
                yield self._told(subject, needs)

    def _told(self, subject: Subject, needs: SubModelNeeds) -> Finding:
        backend = subject.backend_class_name
        there, lacking, unclear = (_listed(needs.uses(a)) for a in (Answer.HAS, Answer.LACKS, Answer.UNKNOWN))
        foreign = needs.uses(Answer.FOREIGN)
        parts = [f"{needs.sub_model.owner} builds {subject.architecture} by name"]
        parts += [f"{backend} has {there} that it uses"] if there else []
        parts += [f"{backend} has no {lacking}"] if lacking else []
        parts += (
            [f"{_listed(foreign)} is the Hugging Face model's there, which takes and returns something else"]
            if foreign
            else []
        )
        parts += [f"whether {backend} has {unclear} cannot be read"] if unclear else []
        wrong = (*needs.uses(Answer.LACKS), *foreign)
        place = wrong[0].location if wrong else needs.sub_model.location
        level = Level.UNPROVEN if wrong or unclear else Level.NOTE
        return self.finding(level, "; ".join(parts), place, _remedy(wrong))


def _listed(uses: tuple[Use, ...]) -> str:
    return ", ".join(f"{use.path}(…)" if use.called else use.path for use in uses)


def _remedy(wrong: tuple[Use, ...]) -> str:
    if not wrong:
        return "Run a test of that model with the backend as well."
    return "Let that model call the language model itself and take what is missing from elsewhere, or retire both."
