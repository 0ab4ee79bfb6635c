"""The check `dead-docs-row`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.uses.tree_facts import TreeFacts


class DeadDocsRow(Check):
    """Whether every architecture that the docs list is served.

    **What it does.** Looks each name in the first column of the docs' architecture tables up in the registry. It may
    be an architecture, one that the engine converts from another, or the class that serves one. The table of plugins
    is left out, and so are patterns such as `*ForCausalLM`.

    **Why.** A row that a removal forgot promises a model that is gone.

    **How to mend.** Take the row away, or mend the name.
    """

    code = "dead-docs-row"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault a name of a row."""
        classes = {entry.class_name for entry in facts.registry.live_entries()}
        for row in facts.documented:
            if row.by_plugin or row.is_pattern or row.name in classes or facts.is_served(row.name):
                continue
            yield self.fault(
                row.location,
                f"the docs list {row.name}, which is not in the registry",
                "Take the row away, or mend its name.",
            )
