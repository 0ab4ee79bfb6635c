"""The check `untested-architecture`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.test_registry import TEST_REGISTRY_FILE
from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.uses.tree_facts import TreeFacts


class UntestedArchitecture(Check):
    """Whether every architecture of the registry has an entry in the test registry.

    **What it does.** Compares the keys of the two.

    **Why.** The engine's tests go through the test registry: an architecture without an entry is never loaded.

    **How to mend.** Add an entry that names a checkpoint of the architecture.
    """

    code = "untested-architecture"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault an architecture; nothing where the tree has no tests."""
        tested = {entry.architecture for entry in facts.tested}
        seen = set(tested)
        for entry in facts.registry.live_entries() if tested else ():
            if entry.architecture not in seen:
                seen.add(entry.architecture)
                yield self.fault(
                    entry.location,
                    f"{entry.architecture} has no entry in {TEST_REGISTRY_FILE}",
                    "Add one that names a checkpoint.",
                )
