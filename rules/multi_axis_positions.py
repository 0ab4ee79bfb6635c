"""The rule `multi-axis-positions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECTIONS = "mrope_section"
_INTERFACE = "SupportsMRoPE"
_INDEX = "        self.layer_idx = layer_idx\n"


class MultiAxisPositions(Rule):
    """Whether positions of several axes are asked of a class that has no such positions.

    **What it does.** Looks in the modeling files for `mrope_section`, by which a configuration cuts rotary positions
    into axes, and whether the backend's class has the engine's interface for them.

    **Why.** The engine goes by the checkpoint's configuration: with an `mrope_section` in it, it asks the class for
    positions, and a class without the interface ends the first request: "M-RoPE support is not implemented" (the
    text model of Cohere Compass on vLLM 0.32.0). The backend's multimodal classes have it, the others have not.

    **How to mend.** Serve the multimodal architecture, or a checkpoint without such sections.
    """

    code = "multi-axis-positions"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            modeling=changed(
                MODELING, _INDEX, f'{_INDEX}        self.sections = config.rope_parameters["{_SECTIONS}"]\n'
            )
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Unproven where a checkpoint may ask for them."""
        model, served_by = subject.model, subject.backend_class
        if model is None or served_by is None or _SECTIONS not in model.words:
            return
        if served_by.interface(_INTERFACE) is None:
            yield self.finding(
                Level.UNPROVEN,
                f"a checkpoint with {_SECTIONS} makes the engine ask for positions of several axes, which "
                f"{served_by.name} does not give",
                model.base,
                self.smoke(model),
            )
