"""The check `dead-test-entry`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.uses.tree_facts import TreeFacts


class DeadTestEntry(Check):
    """Whether every architecture of the test registry is served.

    **What it does.** Looks each key of the test registry up in the registry. One that the engine converts from
    another counts: a classifier from the language model of the same family, by the endings of their names.

    **Why.** Tests go through the registry's own architectures: an entry that none of them has is dead weight, most
    often what a removal or a renaming forgot.

    **How to mend.** Take the entry away, or mend its name.
    """

    code = "dead-test-entry"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault an entry."""
        for entry in facts.tested:
            if not facts.is_served(entry.architecture):
                yield self.fault(
                    entry.location,
                    f"{entry.architecture} in {entry.dictionary} is not in the registry",
                    "Take the entry away, or mend its name.",
                )
