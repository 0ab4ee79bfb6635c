"""The question `unmentioned-loss`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE
from analyzer.locations import Location
from codemods.plan import Migrate
from retire_model.review.question import Question
from retire_model.review.remark import Remark, Severity
from rules.findings import Capability, Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retire_model.review.change import Change
    from retire_model.review.retired import Retired
    from rules.findings import Finding

WORDS = {
    Capability.TENSOR_PARALLEL: r"tensor[\s-]*parallel|\bTP\b",
    Capability.PIPELINE_PARALLEL: r"pipeline[\s-]*parallel|\bPP\b",
    Capability.LORA: r"\blora\b|\badapters?\b",
    Capability.QUANTIZATION: r"quanti[sz]|\bfp8\b|\bawq\b|\bgptq\b",
    Capability.SPECULATIVE_DECODING: r"speculative|\bdrafts?\b|\beagle",
    Capability.COMPILE: r"torch[\s.]*compile|\bcompil",
    Capability.POOLING: r"\bpooling\b|\bembedding|\bscor|\bclassif",
    Capability.MULTIMODAL: r"multi[\s-]*modal|\bimages?\b|\baudio\b|\bvideos?\b",
    Capability.ACCURACY: r"accura|\blogits?\b|logprob|numeric",
}
"""How people write of a capability."""


class UnmentionedLoss(Question):
    """Whether a change that retires a model says what is lost.

    **What it does.** Judges each model that a change hands to the Transformers modeling backend, as `retire-model
    check` would, and looks for the lost capabilities in the commits' messages and in the description of the pull
    request. That the backend cannot load a model at all is told in any case.

    **Why.** A retirement may lose what nobody uses, and that is for the maintainers to say: afterwards, users of
    tensor parallelism or adapters find an error at start where there was none.

    **How to mend.** Mend the loss where its remedy says, or say in the description that it is accepted.
    """

    code = "unmentioned-loss"


def unmentioned_losses(change: Change, retired: Sequence[Retired]) -> Iterator[Remark]:
    """A remark for each model and capability that is lost without a word."""
    for model in retired:
        judgement = model.assessment.judgement
        names = [name for name, outcome in model.outcomes.items() if isinstance(outcome, Migrate)]
        for capability in judgement.losses if names else ():
            blocks = capability is Capability.LOAD
            if not blocks and re.search(WORDS[capability], change.words, re.IGNORECASE):
                continue
            level = Level.BLOCKS if blocks else Level.LOSES
            reason = next((f for f in judgement.findings if f.level is level and f.capability is capability), None)
            what = "cannot load it" if blocks else f"loses {capability}, and the change does not say so"
            yield Remark(
                _place(change, names),
                UnmentionedLoss.code,
                Severity.ERROR if blocks else Severity.WARNING,
                f"{', '.join(names)} on the Transformers modeling backend {what}{_because(reason)}",
                reason.remedy.partition(", or --accept")[0].removesuffix(".") + ", or say that it is accepted."
                if reason and reason.remedy and not blocks
                else "Leave the model its module, or give it up."
                if blocks
                else "Say that it is accepted.",
            )


def _because(reason: Finding | None) -> str:
    if reason is None:
        return ""
    return f": {reason.message}{f' ({reason.location})' if reason.location else ''}"


def _place(change: Change, names: Sequence[str]) -> Location:
    """The registry entry of the first of `names`, or the top of the registry where it has none."""
    entries = (entry for name in names for entry in change.head.registry.entries(name))
    return next((entry.location for entry in entries), Location(REGISTRY_FILE, 1))
