"""The rule `pooling-task`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.interface_rule import InterfaceRule
from rules.offers import bespoke_offers
from rules.rule import Snippet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.rule import Subject

_HEAD = re.compile(r"For([A-Z]\w*)$")
_OWN_HEADS = frozenset({"CausalLM", "ConditionalGeneration"})
"""Generation, for which the backend has a head of its own."""
_LATE_INTERACTION = "SupportsLateInteraction"


class PoolingTask(InterfaceRule):
    """Whether the backend can pool as the model's head does: embed, classify sequences or tokens, score.

    **What it does.** Reads what the architecture's name asks for (`BertForTokenClassification`), the engine's own
    table of what a name's ending stands for, and which heads the backend builds from Transformers
    (`AutoModelForSequenceClassification`). Compares the pooling interfaces of both classes.

    **Why.** The backend serves every classification by the head for sequences: a model that labels tokens or
    ranks by late interaction would be pooled to something else, and one whose name stands for nothing would
    generate. Reward and retrieval models have no class on the backend in any release up to vLLM 0.33.

    **How to mend.** Keep the modeling file for these architectures, or accept the loss (`--accept pooling`).
    """

    code = "pooling-task"
    capability = Capability.POOLING
    what = "pooling"
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(bespoke="class ToyForCausalLM(nn.Module, SupportsPP, SupportsLoRA, VllmModelForPooling): ..."),
        Snippet(bespoke="class ToyForCausalLM(nn.Module, VllmModelForPooling, SupportsLateInteraction): ..."),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Loses pooling for a head that the backend does not build, or an interface that it does not have."""
        if subject.backend_class is None or subject.bespoke is None or subject.model is None:
            return
        head = _HEAD.search(subject.architecture)
        pools = bespoke_offers(subject.bespoke, self.capability)
        if pools and head is not None and head[1] not in _OWN_HEADS | subject.backend.heads:
            message = f"the backend has no head for {head[1]}: {subject.backend_class_name} would serve it"
            yield self.finding(Level.LOSES, message, subject.model.head, "")
            return
        # A gain cannot be told: the engine turns any hand-written class into a pooling one (`adapters.py`).
        lost = [finding for finding in super().check(subject) if finding.level is Level.LOSES]
        yield from lost
        scores = _LATE_INTERACTION in subject.bespoke.interfaces
        if scores and not lost and subject.backend_class.interface(_LATE_INTERACTION) is None:
            message = f"{subject.bespoke.name} scores by late interaction, {subject.backend_class.name} does not"
            yield self.finding(Level.LOSES, message, subject.bespoke.location, "")
