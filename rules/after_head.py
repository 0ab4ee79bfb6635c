"""The rule `after-head`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator


class AfterHead(Rule):
    """Whether the head class changes hidden states or logits in a way that the backend's own head does not.

    **What it does.** Reads the `forward` of the head class for what it computes between the base model and the
    logits, and from the backend's source which configuration fields its head applies.

    **Why.** The backend builds the base model and a head of its own. A scale or a cap that the head class
    applies is lost unless the backend applies it too: greedy tokens stay the same, log-probabilities are wrong
    by a factor. vLLM 0.24 knows `logit_scale`, 0.33 also `final_logit_softcapping`; Granite divides by
    `logits_scaling`, which neither knows. A field that is neutral by default hides the fault in a test.

    **How to mend.** Teach the backend's head the field, or accept the loss (`--accept accuracy`).
    """

    code = "after-head"
    capability = Capability.ACCURACY
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(modeling=MODELING + "        logits = logits * self.config.logit_scale\n"),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            modeling=MODELING + "        logits = cap(logits, self.config)\n"
            "\n\ndef cap(logits, config):\n    return torch.tanh(logits / config.cap)\n"
        ),
        Snippet(
            modeling=MODELING + "        logits = self._cap(logits)\n"
            "\n    def _cap(self, logits):\n        return logits / self.config.cap\n"
        ),
        Snippet(
            modeling=changed(MODELING, "outputs.last_hidden_state", "rescale(outputs.last_hidden_state)")
            + "\n\ndef rescale(states):\n    return states * 2\n"
        ),
        Snippet(modeling=MODELING + "        logits = logits / self.config.logits_scaling\n"),
        Snippet(modeling=MODELING + "        logits = torch.tanh(logits)\n"),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Loses accuracy for each operation that reads a field which the backend's head does not."""
        if subject.model is None or not subject.generates:
            return
        head, known = subject.model.output_head, subject.backend.head
        constant_only = not any(operation.fields for operation in head.operations)
        for operation in head.operations:
            unknown = [field for field in operation.fields if field not in known.fields]
            if unknown or constant_only:
                what = f", by {', '.join(unknown)}," if unknown else ""
                yield self.finding(
                    Level.LOSES,
                    f"the head computes `{operation.source}`{what} and the backend's own head does not",
                    operation.location,
                    "Teach the backend's head this.",
                )
