"""The rule `forward-arguments`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.backend import POSITIONS
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator


class ForwardArguments(Rule):
    """Whether the model's forward takes the positions that the engine computes.

    **What it does.** Reads the parameters of the base model's forward, and of its decoder's where it keeps one,
    and from the backend's source that it hands over `position_ids`.

    **Why.** The engine batches tokens of many requests into one sequence, so that a position cannot be told from
    the length of an input. A forward without `position_ids` counts for itself (Bart, Pegasus, Whisper) or needs
    none (Mamba). vLLM 0.20 and later fail at start: "Argument position_ids not found in the forward method".

    **How to mend.** Keep the modeling file until the Hugging Face class takes `position_ids`.
    """

    code = "forward-arguments"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            modeling=changed(
                MODELING,
                "def forward(self, input_ids, position_ids, **kwargs):",
                "def forward(self, input_ids, **kwargs):",
            )
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for each forward that has no such parameter."""
        if subject.model is None or POSITIONS not in subject.backend.forward_arguments:
            return
        for forward in subject.model.forwards:
            if POSITIONS not in forward.parameters:
                yield self.finding(
                    Level.BLOCKS,
                    f"the forward of {forward.class_name} takes no {POSITIONS}, which the backend hands over "
                    f"({subject.backend.forward_location})",
                    forward.location,
                    "Let the Hugging Face class take them.",
                )
                return
