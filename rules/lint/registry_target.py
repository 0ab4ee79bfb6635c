"""The check `registry-target`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.uses.reference import dotted_module
from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.uses.tree_facts import TreeFacts


class RegistryTarget(Check):
    """Whether every registry entry leads to a class.

    **What it does.** Looks for the module that each entry names, relative to the models folder or by its full path, as
    a file or a package, and in it for the class: defined there, or imported from where it is defined. An entry counts
    wherever the registry's file has it: in a dictionary, in a spread, in a later statement.

    **Why.** The engine imports a model's module when a user asks for it, not before: an entry that was forgotten
    when its module went is found by the user.

    **How to mend.** Move the entry to the dictionary that says what became of the model, or mend its module or class.
    """

    code = "registry-target"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault an entry."""
        for entry in facts.registry.pointing_entries():
            path = dotted_module(entry.module or "")
            file = facts.index.file_of(path)
            if file is None:
                yield self.fault(
                    entry.location,
                    f"{entry.architecture} is served by {entry.module}, which does not exist",
                    "Mend the module's name, or move the entry to the dictionary that says what became of the model.",
                )
            elif not _has(facts, file, entry.class_name or ""):
                yield self.fault(
                    entry.location,
                    f"{entry.architecture} is served by {entry.class_name}, which {file} does not have",
                    "Mend the class's name.",
                )


def _has(facts: TreeFacts, file: str, name: str) -> bool:
    """Whether the file has the class; only a file that neither defines nor imports it plainly is parsed."""
    return facts.index.defines_class(file, name) or facts.resolver.resolve(file, name) is not None
