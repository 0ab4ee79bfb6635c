"""Refuses to delete a module that other files need."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from analyzer.engine.engine_tree import MODELS_FOLDER
from analyzer.errors import Refused
from analyzer.uses.ci_paths import MODEL_FOLDERS
from analyzer.uses.references import find_references, references_in
from codemods.code.inline_shared import inline_shared_code
from codemods.edits import Deletion, Draft

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree
    from analyzer.uses.reference import Reference
    from codemods.edits import ChangeSet
    from codemods.plan import RetirementPlan


def refuse_needed_modules(plan: RetirementPlan, changes: ChangeSet, tree: SourceTree) -> None:
    """Raise `Refused` with every file that needs a module whose files are to go, and what it takes of it."""
    edited = {edit.file: None if isinstance(edit, Deletion) else edit.after for edit in changes.edits}
    needed = tuple(_remaining(dependents(plan, tree), edited))
    if needed:
        modules = ", ".join(sorted({reference.subject for reference in needed}))
        lines = "".join(f"\n  {reference.location}  {described(reference)}" for reference in needed)
        raise Refused(f"other files need {modules}:{lines}", _remedy(plan, needed, tree))


def _remedy(plan: RetirementPlan, needed: tuple[Reference, ...], tree: SourceTree) -> str:
    """What to do: `--inline-shared` is offered where it would do, and another model is what needs the code."""
    models = any(reference.location.file.startswith(f"{MODELS_FOLDER}/") for reference in needed)
    family = "; --family takes along those that are models themselves" if models else ""
    return f"Make them independent of it first{_inlining(plan, needed, tree)}{family}."


def _inlining(plan: RetirementPlan, needed: tuple[Reference, ...], tree: SourceTree) -> str:
    files = {reference.location.file for reference in needed}
    if len(files) == 1 and next(iter(files)).startswith(MODEL_FOLDERS) and not plan.inline_shared:
        with suppress(Refused):
            draft = Draft(tree)
            inline_shared_code(replace(plan, inline_shared=True), draft)
            if files == {edit.file for edit in draft.change_set().edits}:
                symbols = ", ".join(sorted({symbol for reference in needed for symbol in reference.symbols}))
                return f"; --inline-shared moves {symbols} to {files.pop()}"
    return ""


def _remaining(references: tuple[Reference, ...], edited: dict[str, bytes | None]) -> Iterator[Reference]:
    """The references that the edits do not take away, of edited files as they will be."""
    by_file: dict[str, set[str]] = {}
    for reference in references:
        if reference.location.file not in edited:
            yield reference
        elif edited[reference.location.file] is not None:
            by_file.setdefault(reference.location.file, set()).add(reference.subject)
    for file, subjects in by_file.items():
        yield from references_in(file, edited[file] or b"", subjects)


def dependents(plan: RetirementPlan, tree: SourceTree) -> tuple[Reference, ...]:
    """The references to modules whose files go, from files that stay."""
    going = {file for module in plan.modules for file in module.files}
    modules = [module.name for module in plan.modules if module.files]
    return tuple(r for r in find_references(tree, modules) if r.location.file not in going)


def described(reference: Reference) -> str:
    """One reference in words."""
    symbols = f": {', '.join(reference.symbols)}" if reference.symbols else ""
    return f"{reference.kind} of {reference.subject}{symbols}"
