"""The check `misplaced-docs-row`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.registry import TRANSFORMERS_SUPPORTED
from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.uses.tree_facts import TreeFacts


class MisplacedDocsRow(Check):
    """Whether a row stands in the table that says truly what serves the architecture.

    **What it does.** Where the docs have a table of what only the Transformers modeling backend serves, compares it,
    and the tables under the same headings, with the registry.

    **Why.** A retirement moves the registry entry and the docs row; who forgets the row leaves the docs saying that
    the engine has a hand-written model.

    **How to mend.** Move the row to the other table, and set what the columns say of it anew.
    """

    code = "misplaced-docs-row"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault a name of a row."""
        backend = {e.architecture for e in facts.registry.live_entries() if e.dictionary == TRANSFORMERS_SUPPORTED}
        bespoke = {entry.architecture for entry in facts.registry.bespoke_entries()}
        for row in facts.documented:
            if row.by_backend and row.name in bespoke - backend:
                yield self.fault(
                    row.location,
                    f"{row.name} is listed as served by the Transformers modeling backend, and has its own module",
                    "Move the row to the table above.",
                )
            elif row.beside_backend and row.name in backend - bespoke:
                yield self.fault(
                    row.location,
                    f"{row.name} is served by the Transformers modeling backend, and listed with its own module",
                    "Move the row to the table of what the backend serves.",
                )
