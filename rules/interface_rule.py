"""What the rules about inherited interfaces share: a capability is there where a class inherits its protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Finding, Level
from rules.offers import INTERFACES, backend_offers, bespoke_offers
from rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.rule import Subject


class InterfaceRule(Rule):
    """Compares what the hand-written class inherits with what the backend's class inherits."""

    what: ClassVar[str]
    """The capability in words that fit before a colon."""

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Gains where only the backend has the interface, losses where only the bespoke class has it."""
        if subject.backend_class is None or subject.bespoke is None:
            return
        before = bespoke_offers(subject.bespoke, self.capability)
        after = backend_offers(subject, self.capability)
        names = INTERFACES[self.capability]
        if after and not before:
            found = next((n, place) for n in names if (place := subject.backend_class.interface(n)))
            message = f"{self.what}: {subject.backend_class.name} inherits {found[0]}"
            yield self.finding(Level.GAINS, f"{message}, {subject.bespoke.name} does not", found[1], "")
        elif before and not after:
            message = f"{self.what}: {subject.bespoke.name} has it, {subject.backend_class.name} does not"
            remedy = "Add the interface to the backend."
            yield self.finding(Level.LOSES, message, subject.bespoke.location, remedy)
