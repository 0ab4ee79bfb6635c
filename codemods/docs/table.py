"""Moves the docs rows of retired architectures to the table that fits what became of them.

A row's text stays as it stands; of a row that moves to the backend's table the LoRA and pipeline-parallel cells follow
the verdict. A row in a table that has no backend table beside it, under the same headings, stays where it is: the
backend serves the architecture for that use too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from analyzer.engine.docs_tables import DOCS_FOLDER, SUPPORTED_MODELS_PAGE
from analyzer.engine.registry import read_registry
from analyzer.errors import EnvironmentProblem
from codemods.docs.lines import DocsLines
from codemods.docs.page import DocsPage
from codemods.plan import Migrate, Plugin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from codemods.edits import Draft
    from codemods.plan import RetiredArchitecture, RetirementPlan


def move_docs_rows(plan: RetirementPlan, draft: Draft) -> None:
    """Move or drop the rows of the retired architectures on every page.

    Raises `EnvironmentProblem` where the page of supported models or its table is missing, unless the plan allows it.
    """
    if not plan.skip_docs:
        _require_tables(plan, draft)
    architectures = (*plan.architectures, *_by_class(plan, draft))
    pages = {page: DocsPage(page, DocsLines.of(draft.read(page))) for page in _pages(architectures, draft)}
    for page in pages.values():
        page.move(architectures)
    if (home := pages.get(SUPPORTED_MODELS_PAGE)) is not None:
        # The home page's own row says most; the first row of an architecture counts.
        ordered = sorted(pages.values(), key=lambda page: page is not home)
        home.add_plugin_rows([row for page in ordered for row in page.plugin_rows])
    for file, page in pages.items():
        draft.rewrite(file, page.finished().encode(), f"docs rows of {', '.join(page.touched)}")


def _by_class(plan: RetirementPlan, draft: Draft) -> Iterator[RetiredArchitecture]:
    """What is given up, by the names of the classes that serve it alone: some rows are written under these."""
    given_up = [a for a in plan.architectures if a.entries and not isinstance(a.outcome, Migrate)]
    if not given_up:
        return
    names: set[str | None] = {architecture.name for architecture in given_up}
    live = [entry for entry in read_registry(draft.tree).live_entries() if entry.architecture not in names]
    taken = names.union(*((entry.architecture, entry.class_name) for entry in live))
    for architecture in given_up:
        classes = {entry.class_name for entry in architecture.entries if entry.class_name is not None}
        for name in sorted(classes - taken):
            yield replace(architecture, name=name)


def _pages(architectures: Iterable[RetiredArchitecture], draft: Draft) -> Iterator[str]:
    names = [architecture.name.encode() for architecture in architectures]
    for file in draft.tree.walk(DOCS_FOLDER, frozenset({".md"})):
        if draft.exists(file) and any(name in draft.read(file) for name in names):
            yield file


def _require_tables(plan: RetirementPlan, draft: Draft) -> None:
    remedy = "Go on without it: --allow-missing docs."
    if not draft.exists(SUPPORTED_MODELS_PAGE):
        raise EnvironmentProblem(f"{SUPPORTED_MODELS_PAGE} is missing", remedy)
    tables = DocsLines.of(draft.read(SUPPORTED_MODELS_PAGE)).tables
    for architecture in plan.architectures:
        outcome = architecture.outcome
        if isinstance(outcome, Migrate) and not any(table.is_served_by_backend for table in tables):
            raise EnvironmentProblem(f"{SUPPORTED_MODELS_PAGE} has no table of models served by the backend", remedy)
        if isinstance(outcome, Plugin) and not any(table.is_served_by_plugins for table in tables):
            raise EnvironmentProblem(f"{SUPPORTED_MODELS_PAGE} has no table of plugins", remedy)
