"""The rule `unread-class`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator


class UnreadClass(Rule):
    """Whether the hand-written class can be read, so that there is something to compare the backend with.

    **What it does.** Looks in the module that the registry names for the class statement behind the class's name,
    defined there or imported from another file of the engine.

    **Why.** What a retirement loses is what this class offers and the backend does not. A class that is made by a
    call, or that the module does not have, offers something that reading cannot tell.

    **How to mend.** Mend the registry entry (`retire-model lint` finds those that lead nowhere), or write the class
    as a class statement. With `--remove` and `--plugin` nothing needs to be compared.
    """

    code = "unread-class"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(bespoke="class Served(nn.Module): ...\n\n\nclass ToyForCausalLM(Served): ...\n"),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (Snippet(bespoke='ToyForCausalLM = type("Toy", (nn.Module,), {})\n'),)

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Unproven where the module has no such class statement."""
        if subject.entry is not None and subject.bespoke is None:
            yield self.finding(
                Level.UNPROVEN,
                f"the class that serves {subject.architecture} today cannot be read: what would be lost is not known",
                subject.entry,
                "Mend the registry entry, or write the class as a class statement.",
            )
