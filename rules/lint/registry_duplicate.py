"""The check `registry-duplicate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.registry import RegistryEntry
    from analyzer.uses.tree_facts import TreeFacts


class RegistryDuplicate(Check):
    """Whether an architecture that stands in the registry twice is served by one class.

    **What it does.** Compares the values of all live entries with the same architecture.

    **Why.** The dictionaries are merged and a later entry wins without a word: which class serves the architecture
    then hangs on the order of the dictionaries. The same value in two of them is fine, and usual for models that
    both generate and embed.

    **How to mend.** Take the entry away that does not hold, or give both the same value.
    """

    code = "registry-duplicate"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault for each entry that says something else than the first with its name."""
        first: dict[str, RegistryEntry] = {}
        for entry in facts.registry.live_entries():
            known = first.setdefault(entry.architecture, entry)
            if known.value != entry.value:
                yield self.fault(
                    entry.location,
                    f"{entry.architecture} is served by {_shown(entry)} here and by {_shown(known)} in "
                    f"{known.dictionary}",
                    "Take away the entry that does not hold.",
                )


def _shown(entry: RegistryEntry) -> str:
    return f"{entry.module}.{entry.class_name}"
