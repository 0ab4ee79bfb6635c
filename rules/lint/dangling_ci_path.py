"""The check `dangling-ci-path`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.lint.check import Check, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.uses.tree_facts import TreeFacts


class DanglingCiPath(Check):
    """Whether every path of a model in the tree's CI stands for a file.

    **What it does.** Reads the paths below the folders of models in the test pipelines, the labelling rules of pull
    requests and the list of code owners, each by its own rules: beginnings of names, regular expressions, patterns.
    A regular expression that may take for ever on purpose is left alone.

    **Why.** A path that stands for nothing never starts its tests, never sets its label and never asks its owner.

    **How to mend.** Take the path away, or name the file that took over.
    """

    code = "dangling-ci-path"

    def check(self, facts: TreeFacts) -> Iterator[Fault]:
        """One fault a path."""
        for path in facts.ci_paths:
            if not path.leads_to(facts.model_files):
                yield self.fault(
                    path.location, f"{path.text} stands for no file", "Take it away, or name what took over."
                )
