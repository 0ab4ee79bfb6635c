"""The rule `forward-arguments`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from analyzer.release.forward_signature import POSITIONS
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.hugging_face_model import HuggingFaceModel

_EMBEDDED = "hidden_states = self.embed_tokens(input_ids)"


class ForwardArguments(Rule):
    """Whether the model's forward takes the positions that the engine computes.

    **What it does.** Reads the parameters of the base model's forward, and of its decoder's where it keeps one,
    and from the backend's source that it hands over `position_ids`.

    Where it hands over what its own attention asks for (its attention layers, up to vLLM 0.29), follows whether each
    forward from the base model to the attention interface hands that on.

    **Why.** The engine batches tokens of many requests into one sequence, so that a position cannot be told from
    the length of an input. A forward without `position_ids` counts for itself (Bart, Pegasus, Whisper) or needs
    none (Mamba). vLLM 0.20 and later fail at start: "Argument position_ids not found in the forward method".

    **How to mend.** Keep the modeling file until the Hugging Face class takes `position_ids`.
    """

    code = "forward-arguments"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(modeling=changed(MODELING, _EMBEDDED, f"position_ids = position_ids.view(1, -1)\n        {_EMBEDDED}")),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=changed(MODELING, _EMBEDDED, f"position_ids = torch.arange(8)\n        {_EMBEDDED}")),
        Snippet(
            modeling=changed(
                MODELING,
                "def forward(self, input_ids, position_ids, **kwargs):",
                "def forward(self, input_ids, **kwargs):",
            )
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for a forward that has no such parameter, loses accuracy for one that overwrites it."""
        if subject.model is None or POSITIONS not in subject.backend.forward_arguments:
            return
        yield from self._lost_on_the_way(subject, subject.model)
        for forward in subject.model.forwards:
            if POSITIONS in forward.parameters and forward.recounts is not None:
                lost = self.finding(
                    Level.LOSES,
                    f"the forward of {forward.class_name} counts positions anew, whatever the backend hands over",
                    forward.recounts,
                    "Let the Hugging Face class use the positions that it is handed.",
                )
                yield replace(lost, capability=Capability.ACCURACY)
            if POSITIONS not in forward.parameters:
                yield self.finding(
                    Level.BLOCKS,
                    f"the forward of {forward.class_name} takes no {POSITIONS}, which the backend hands over "
                    f"({subject.backend.forward_location})",
                    forward.location,
                    "Let the Hugging Face class take them.",
                )
                return

    def _lost_on_the_way(self, subject: Subject, model: HuggingFaceModel) -> Iterator[Finding]:
        """Blocks where what the backend hands to the model for its own attention does not get there."""
        if model.multimodal:
            return  # Encoders attend without the engine, and the way past them is not told apart.
        backend = subject.backend
        for keyword in (name for name in backend.forward_arguments if name in backend.attention.arguments):
            lost = next((forward for forward in model.on_the_way if forward.loses(keyword)), None)
            if lost is not None:
                yield self.finding(
                    Level.BLOCKS,
                    f"the forward of {lost.class_name} does not hand on {keyword}, which the backend's attention needs "
                    f"({backend.forward_location})",
                    lost.location,
                    "Let the Hugging Face class hand its **kwargs on.",
                )
