"""The check `dangling-import`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.uses.tree_facts import TreeFacts


class DanglingImport(Check):
    """Whether every import of a model's module leads to something.

    **What it does.** Follows the imports of modules below the folders of models and of their configurations and
    processors, in all Python files of the tree: absolute, relative, under `TYPE_CHECKING`, and the strings that
    stand for imports, as in a test's patch. The module must exist and have the name. Outside the engine, in tests and
    examples, the module of every relative import must exist. What stands under a `try` that is there for the case
    that the import fails is left alone.

    **Why.** Models import from one another, and tests patch them: what a deleted module leaves behind fails when it
    is first imported, which for a test of a rare model may be weeks later.

    **How to mend.** Take the import away together with what needs it, or import from where the thing is now.
    """

    code = "dangling-import"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault a place and name."""
        for dangling in facts.dangling_imports:
            yield self.fault(
                dangling.location,
                f"{dangling.path} does not exist",
                "Take away what needs it, or import it from where it is now.",
            )
