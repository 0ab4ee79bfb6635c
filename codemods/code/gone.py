"""The names that mean nothing any more once a plan is carried out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import DOCS_FOLDER, code_spans, read_docs_tables
from analyzer.engine.registry import read_registry
from analyzer.engine.test_registry import tested_architectures
from analyzer.uses.reference import dotted_module
from codemods.plan import Migrate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from analyzer.source.source_tree import SourceTree
    from codemods.plan import RetiredArchitecture, RetirementPlan


@dataclass(frozen=True, slots=True)
class Gone:
    """What a plan leaves nothing behind of."""

    architectures: frozenset[str]
    """Those that the engine gives up; what the backend serves is still there."""
    checkpoints: frozenset[str]
    """Those that no architecture which stays claims."""
    modules: frozenset[str]
    """Full names of the modules whose files go."""
    model_types: frozenset[str]
    """Model types that no configuration has any more. Such a word may mean something else in another place."""

    @property
    def texts(self) -> frozenset[str]:
        """The strings that name a model which is given up."""
        return self.architectures | self.checkpoints

    @property
    def unmistakable(self) -> frozenset[str]:
        """Those of the strings that are no plain word, such as a checkpoint without an owner."""
        return self.architectures | {checkpoint for checkpoint in self.checkpoints if "/" in checkpoint}


def gone_with(plan: RetirementPlan, tree: SourceTree) -> Gone:
    """What `plan` takes out of `tree`. Raises `UnreadableSource` where a file cannot be read."""
    given_up = [a for a in plan.architectures if not isinstance(a.outcome, Migrate)]
    names = frozenset(architecture.name for architecture in given_up)
    modules = frozenset(dotted_module(module.name) for module in plan.modules if module.files)
    if not given_up:
        return Gone(names, frozenset(), modules, frozenset())
    tested, tested_staying = _split(_tested(tree), names)
    documented, documented_staying = _split(_documented(tree), names)
    lost = documented - documented_staying
    for architecture in given_up:
        # What a model is tested with is its own even where another one's row mentions it, unless that one runs it by
        # the same class: then the name alone is gone.
        shared = documented_staying if _shares_class(architecture, names, tree) else set[str]()
        lost |= set(architecture.checkpoints) - shared
    checkpoints = frozenset(lost & (tested | documented) - tested_staying)
    whole = all(module.files for module in plan.modules)
    types = {checkpoint for checkpoint in checkpoints if "/" not in checkpoint} | (plan.model_types if whole else set())
    return Gone(names, checkpoints, modules, frozenset(types))


def _shares_class(architecture: RetiredArchitecture, given_up: frozenset[str], tree: SourceTree) -> bool:
    """Whether an architecture that stays is served by the same class."""
    values = {entry.value for entry in architecture.entries}
    live = read_registry(tree).live_entries()
    return any(entry.value in values for entry in live if entry.architecture not in given_up)


def _split(claims: Iterable[tuple[str, str]], given_up: frozenset[str]) -> tuple[set[str], set[str]]:
    """The checkpoints of the architectures that are given up, and of the others."""
    found = {True: set[str](), False: set[str]()}
    for architecture, checkpoint in claims:
        found[architecture in given_up].add(checkpoint)
    return found[True], found[False]


def _tested(tree: SourceTree) -> Iterator[tuple[str, str]]:
    for entry in tested_architectures(tree):
        yield from ((entry.architecture, checkpoint) for checkpoint in entry.checkpoints)


def _documented(tree: SourceTree) -> Iterator[tuple[str, str]]:
    for file in tree.walk(DOCS_FOLDER, frozenset({".md"})):
        for table in read_docs_tables(tree, file) if b"Architecture" in tree.read(file) else ():
            for row in table.rows if table.lists_architectures else ():
                for architecture in row.architectures:
                    checkpoints = (span for cell in row.cells[1:] for span in code_spans(cell))
                    yield from ((architecture, checkpoint) for checkpoint in checkpoints if "/" in checkpoint)
