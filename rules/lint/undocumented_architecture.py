"""The check `undocumented-architecture`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analyzer.uses.reference import dotted_module
from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.registry import RegistryEntry
    from analyzer.uses.tree_facts import TreeFacts


class UndocumentedArchitecture(Check):
    """Whether every architecture of the registry has a row in the docs.

    **What it does.** Looks for each live architecture in the tables of the pages on supported models. Left out are
    the dictionaries that the docs leave out as a whole, as they do drafts for speculative decoding. A row may name
    the class instead, or another architecture that the same class serves. What another model builds, such as the
    language model inside a vision model, needs no row of its own.

    **Why.** The docs are where a user learns that a model is supported, and where a retirement says by what.

    **How to mend.** Add a row to the table that fits.
    """

    code = "undocumented-architecture"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault an architecture; nothing where the tree has no docs."""
        rows = {row.name for row in facts.documented if row.says_supported}
        entries = facts.registry.live_entries()
        listed = {e.dictionary for e in entries if e.architecture in rows}
        # The backend's classes serve many: that one of these has a row says nothing of the others.
        own = frozenset(facts.registry.bespoke_entries())
        covered = {e.value for e in own if e.architecture in rows or e.class_name in rows}
        reported = set(rows)
        for entry in entries:
            if entry.dictionary not in listed or entry.architecture in reported:
                continue
            if entry in own and entry.value in covered:
                continue
            if not _is_part(entry, facts):
                reported.add(entry.architecture)
                yield self.fault(
                    entry.location,
                    f"{entry.architecture} has no row in the docs",
                    "Add one to the table of supported models that fits.",
                )


def _is_part(entry: RegistryEntry, facts: TreeFacts) -> bool:
    """Whether another model builds the architecture by its name or its class."""
    if entry.architecture in facts.sub_models.names or entry.class_name in facts.sub_models.classes:
        return True
    building = re.compile(rb"= ?" + re.escape((entry.class_name or "").encode()) + rb"\(")
    files = facts.index.files_of(dotted_module(entry.module or ""))
    return any(building.search(facts.tree.read(file)) for file in files)
