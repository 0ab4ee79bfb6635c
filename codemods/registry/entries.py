"""Moves the registry entries of retired architectures to the dictionary that says what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.registry import (
    OUT_OF_TREE,
    PREVIOUSLY_SUPPORTED,
    REGISTRY_FILE,
    TRANSFORMERS_SUPPORTED,
    registry_of,
)
from analyzer.errors import Refused
from codemods.code.display_check import Intent, check_displays
from codemods.code.python_text import PythonText
from codemods.order import family_order
from codemods.plan import Migrate, Plugin, Remove
from codemods.registry.comments import comments_of_entry
from codemods.registry.entry import rendered_entry
from codemods.registry.sections import ensure_heading, found, heading_for, items_below, read_sections

if TYPE_CHECKING:
    from codemods.code.display import Comment, Item
    from codemods.edits import Draft
    from codemods.plan import Outcome, RetiredArchitecture, RetirementPlan


def move_registry_entries(plan: RetirementPlan, draft: Draft) -> None:
    """Take each architecture's entries out and put one in where its outcome wants it.

    Raises `Refused` where the registry is not the one that the plan was made for, `EnvironmentProblem` where a
    dictionary or the backend class is missing, `UnreadableSource` where the file is not valid Python.
    """
    before = source = PythonText.of(draft.read(REGISTRY_FILE), REGISTRY_FILE)
    intent = Intent()
    for architecture in plan.architectures:
        if not _is_moved(source, architecture):
            for entry in architecture.entries:
                source = _without(source, entry.dictionary, architecture.name, intent)
            source = _with(source, architecture, intent)
    if intent.added:
        check_displays(before, source, intent)
        names = ", ".join(architecture for _, architecture in intent.added)
        draft.rewrite(REGISTRY_FILE, source.encode(), f"registry entries of {names}")


def drop_left_entries(plan: RetirementPlan, draft: Draft) -> None:
    """Take out the entries of architectures that stand where their outcome wants them and were left in place as well.

    A retirement of ours never meets them; one that was begun by hand may.
    """
    before = source = PythonText.of(draft.read(REGISTRY_FILE), REGISTRY_FILE)
    intent = Intent()
    for architecture in plan.architectures:
        there = {entry.dictionary for entry in registry_of(source.module).entries(architecture.name)}
        if destination(architecture.outcome)[0] in there:
            for dictionary in sorted(there.intersection(entry.dictionary for entry in architecture.entries)):
                source = _without(source, dictionary, architecture.name, intent)
    if intent.removed:
        check_displays(before, source, intent)
        names = ", ".join(sorted(architecture for _, architecture in intent.removed))
        draft.rewrite(REGISTRY_FILE, source.encode(), f"registry entries of {names}")


def destination(outcome: Outcome) -> tuple[str, tuple[str, ...] | str]:
    """The dictionary that `outcome` leads to, and the value there."""
    match outcome:
        case Migrate(backend_class):
            return TRANSFORMERS_SUPPORTED, ("transformers", backend_class)
        case Remove(last_version):
            return PREVIOUSLY_SUPPORTED, last_version
        case Plugin(address):
            return OUT_OF_TREE, address


def _is_moved(source: PythonText, architecture: RetiredArchitecture) -> bool:
    """Whether an earlier run did it already. Raises `Refused` where the destination says something else."""
    dictionary, value = destination(architecture.outcome)
    entries = registry_of(source.module).entries(architecture.name)
    there = [entry for entry in entries if entry.dictionary == dictionary]
    if any(entry.value != value for entry in there):
        raise Refused(
            f"{there[0].location}: {architecture.name} already stands in {dictionary} with another value",
            "Take that entry out first.",
        )
    left = {entry.dictionary for entry in architecture.entries}
    if there and any(entry.dictionary in left for entry in entries):
        raise Refused(
            f"{there[0].location}: {architecture.name} already stands in {dictionary} and is still served as well",
            "Take that entry out first.",
        )
    return bool(there)


def _without(source: PythonText, dictionary: str, architecture: str, intent: Intent) -> PythonText:
    display = found(source, dictionary)
    for index, item in enumerate(display.items):
        if item.name == architecture:
            above = comments_of_entry(display, index)
            intent.removed.add((dictionary, architecture))
            intent.comments.extend(comment.text for comment in (*above, *display.comments_of(item)))
            return display.without(index, above)
    raise Refused(f"{REGISTRY_FILE}: {dictionary} has no {architecture}", "It changed; make the plan anew.")


def _with(source: PythonText, architecture: RetiredArchitecture, intent: Intent) -> PythonText:
    dictionary, value = destination(architecture.outcome)
    intent.added[dictionary, architecture.name] = value
    display = found(source, dictionary)
    if not isinstance(architecture.outcome, Migrate):
        # These dictionaries are in order of time.
        after: Item | Comment | None = display.items[-1] if display.items else None
    else:
        sections = read_sections(source)
        heading = heading_for(sections, architecture.outcome.backend_class)
        display, after = ensure_heading(display, sections, heading)
        for item in items_below(display, sections, after):
            if item.name is not None and family_order(item.name) > family_order(architecture.name):
                break
            after = item
    return display.inserted(after, rendered_entry(display, architecture.name, value))
