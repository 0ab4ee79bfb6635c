"""The facts of a change: both trees, what differs, what was said of it, and what models can be judged against."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from analyzer.engine.suppressions import Suppressions
from analyzer.uses.tree_facts import TreeFacts

if TYPE_CHECKING:
    from analyzer.engine.engine_tree import EngineTree
    from analyzer.release.hugging_face import HuggingFaceSource
    from retire_model.review.changed_lines import ChangedLines
    from rules.lint.check import Fault


@dataclass(frozen=True, eq=False)
class Change:
    """What leads from one commit to another."""

    base_commit: str
    """Where the head left the base, which is what a pull request is compared with."""
    head_commit: str
    base: EngineTree
    head: EngineTree
    lines: ChangedLines
    words: str
    """What its commits and its author say of it."""
    sources: tuple[HuggingFaceSource, ...]
    """The Transformers releases to judge against; none where none is to be had."""

    @cached_property
    def base_facts(self) -> TreeFacts:
        """What the tree was like."""
        return TreeFacts(self.base.files)

    @cached_property
    def head_facts(self) -> TreeFacts:
        """What the tree is to be like."""
        return TreeFacts(self.head.files)

    @cached_property
    def new_faults(self) -> tuple[Fault, ...]:
        """The faults of the tree that it did not have before."""
        from retire_model.baseline import known_faults, unknown_faults
        from rules.lint.catalogue import find_faults

        old = find_faults(self.base_facts, Suppressions(self.base.files))
        return unknown_faults(find_faults(self.head_facts, Suppressions(self.head.files)), known_faults(old))
