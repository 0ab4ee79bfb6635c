"""The check `registry-revived`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.registry import OUT_OF_TREE, PREVIOUSLY_SUPPORTED
from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.uses.tree_facts import TreeFacts


class RegistryRevived(Check):
    """Whether an architecture that was given up is served all the same.

    **What it does.** Looks for architectures that stand both in the live registry and in the dictionary of what was
    removed or of what plugins serve.

    **Why.** The live entry wins, and the other tells the reader something that does not hold: either a removal was
    half done, or a model that was retired has come back as a hand-written one without anybody saying so.

    **How to mend.** Take one of the two entries away. Where the model comes back on purpose, the entry that says it
    is gone goes.
    """

    code = "registry-revived"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault an architecture, at its live entry."""
        gone = {}
        for name in (PREVIOUSLY_SUPPORTED, OUT_OF_TREE):
            dictionary = facts.registry.dictionary(name)
            gone.update({e.architecture: name for e in dictionary.entries} if dictionary else {})
        for entry in facts.registry.live_entries():
            if entry.architecture in gone:
                yield self.fault(
                    entry.location,
                    f"{entry.architecture} is served, and is also in {gone[entry.architecture]}",
                    "Take one of the two entries away.",
                )
