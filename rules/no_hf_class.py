"""The rule `no-hf-class`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator


class NoHuggingFaceClass(Rule):
    """Whether Transformers has the model at all, and the backend a class that can run it.

    **What it does.** Looks for a class of the architecture's name in the modeling files of the Transformers
    release, and for the `Transformers*` class that the backend would choose for it.

    **Why.** The backend runs the Hugging Face class. Without one there is nothing to run; checkpoints that
    bring their own code (`trust_remote_code`) are not read, since their code is not part of a release.

    **How to mend.** Judge against a later Transformers release (`--transformers`), or give the architecture up
    (`--remove`) or to a plugin (`--plugin`), as vLLM 0.25.0 did with Baichuan and 0.24.0 with QWen.
    """

    code = "no-hf-class"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=MODELING.replace("ToyForCausalLM", "ToyForMaskedLM")),
        Snippet(modeling=changed(MODELING, "class ToyModel(ToyPreTrainedModel)", "class ToyModel(ToyModel)")),
        Snippet(
            modeling=changed(
                MODELING, "class ToyPreTrainedModel(PreTrainedModel)", "class ToyPreTrainedModel(ToyModel)"
            )
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks where the class is missing on either side."""
        if subject.model is None:
            yield self.finding(
                Level.BLOCKS,
                f"Transformers has no class {subject.architecture}",
                subject.bespoke.location if subject.bespoke else None,
                "Try a later release (--transformers).",
            )
        elif subject.model.endless is not None:
            yield self.finding(
                Level.BLOCKS,
                "a class of the Hugging Face model inherits from itself: Python cannot import it",
                subject.model.endless,
                "Mend the class's bases.",
            )
        elif subject.backend_class is None:
            yield self.finding(
                Level.BLOCKS,
                f"the backend would serve it by {subject.backend_class_name}, which it does not have",
                subject.model.head,
                "Try a later engine release.",
            )
