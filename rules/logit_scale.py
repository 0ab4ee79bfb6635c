"""The rule `logit-scale`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION, MODELING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SETTINGS = ("scale", "soft_cap")
"""Keywords of the engine's `LogitsProcessor` that change logits."""
_PROCESSOR = "LogitsProcessor"


class LogitScale(Rule):
    """Whether the engine scales or caps logits where the head class does not.

    **What it does.** Compares the fields that the backend's head applies to logits, and those that the modeling
    file gives its `LogitsProcessor`, with what the head class reads. The rule `after-head` is its reverse.

    **Why.** The backend applies `logit_scale` (and from vLLM 0.28 `final_logit_softcapping`) to any model whose
    configuration has such a field, whether or not its head class uses it. Greedy tokens stay the same,
    log-probabilities and sampling do not.

    **How to mend.** Let the head class apply the field or the configuration drop it, or accept the loss
    (`--accept accuracy`). Compare log-probabilities with a value that is not neutral.
    """

    code = "logit-scale"
    capability = Capability.ACCURACY
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(
            modeling=MODELING + "        logits = logits * self.config.logit_scale\n",
            configuration=CONFIGURATION + "    logit_scale: float = 0.5\n",
        ),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(configuration=CONFIGURATION + "    logit_scale: float = 0.5\n"),
        Snippet(
            bespoke="from vllm.model_executor.layers.logits_processor import LogitsProcessor\n\n\n"
            "class ToyForCausalLM(nn.Module, SupportsPP, SupportsLoRA):\n"
            "    def __init__(self, config):\n"
            "        self.logits_processor = LogitsProcessor(config.vocab_size, scale=1 / config.mup_scale)\n"
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Loses accuracy for a field that only the backend applies, a note for one of the modeling file alone."""
        model = subject.model
        if model is None or not subject.generates:
            return
        applied = {field for operation in model.output_head.operations for field in operation.fields}
        ours = subject.backend.head
        for field in ours.fields:
            if field in model.fields.known and field not in applied and ("scale" in field or "cap" in field):
                mentioned = field in model.words
                level = Level.NOTE if mentioned or model.fields.neutral(field) else Level.LOSES
                message = f"this backend applies {field} to logits, which {subject.architecture} was not seen to do"
                yield self.finding(level, message, ours.location, "Compare log-probabilities.")
        for call in subject.bespoke.engine_calls if subject.bespoke is not None else ():
            for keyword, value in call.arguments:
                unknown = [f for f in value.fields if f not in model.words and f not in ours.fields]
                if keyword in _SETTINGS and call.name == _PROCESSOR and unknown and len(unknown) == len(value.fields):
                    message = f"the modeling file gives its logits {keyword}={value.source}, by {', '.join(unknown)}"
                    message = f"{message}, which neither the Hugging Face class nor the backend's head reads"
                    yield self.finding(Level.NOTE, message, call.location, "Compare log-probabilities on a checkpoint.")
