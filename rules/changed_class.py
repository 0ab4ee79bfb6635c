"""The rule `changed-class`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_FORWARD = "\n\ndef forward(self, hidden_states, **kwargs):\n    return hidden_states\n"


class ChangedClass(Rule):
    """Whether the Hugging Face classes are what their class statements say.

    **What it does.** Looks in the modeling files for statements that set an attribute of a class from
    outside, and for class decorators that are defined in a modeling file.

    **Why.** All other rules read class statements. A method that is put in the place of another when the module is
    imported is not what they have read. No class of Transformers 4.57 to 5.24 that was judged is changed so.

    **How to mend.** Write the change into the class statement, or let `retire-model smoke` settle what the model does.
    """

    code = "changed-class"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(modeling=changed(MODELING, "class ToyLayer", "@dataclasses.dataclass\nclass ToyLayer")),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=f"{MODELING}{_FORWARD}\n\nToyAttention.forward = forward\n"),
        Snippet(modeling=f"{MODELING}{_FORWARD}\n\nsetattr(ToyAttention, 'forward', forward)\n"),
        Snippet(modeling=f"{MODELING}{_FORWARD}\n\nif True:\n    ToyAttention.forward = forward\n"),
        Snippet(
            modeling=changed(MODELING, "class ToyLayer", "def odd(kind):\n    return kind\n\n\n@odd\nclass ToyLayer")
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Unproven for each class that is altered."""
        model = subject.model
        if model is None:
            return
        for altered in model.altered:
            yield self.finding(
                Level.UNPROVEN,
                f"`{altered.source}` makes of {altered.name} something else than was read",
                altered.location,
                self.smoke(model),
            )
