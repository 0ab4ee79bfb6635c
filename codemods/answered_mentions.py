"""Finds every place of the tree that names a retired model, and answers each: edited by the plan, or kept and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from typing import TYPE_CHECKING

from analyzer.source.source_scan import files_mentioning
from analyzer.uses.mentions import TEXTS, Mention, MentionKind, ModelNames, mentions_in_text
from analyzer.uses.python_mentions import mentions_in_python
from codemods.code.gone import gone_with
from codemods.edits import Deletion
from codemods.kept_reasons import loss_that_is_tested, reason_to_keep
from codemods.plan import Migrate, Plugin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.source.source_tree import SourceTree
    from codemods.edits import ChangeSet, Edit
    from codemods.plan import RetiredArchitecture, RetirementPlan

PYTHON = ".py"
TEMPLATE = ".jinja"


class Answer(StrEnum):
    """What becomes of a place. What can be neither edited nor kept is refused as a whole, before this is told."""

    EDITED = "edited"
    KEPT = "kept"


@dataclass(frozen=True, slots=True, order=True)
class AnsweredMention:
    """A place that names a retired model, and what becomes of it."""

    mention: Mention
    answer: Answer
    reason: str
    """Why it is kept; empty where it is edited."""


def answered_mentions(plan: RetirementPlan, changes: ChangeSet, tree: SourceTree) -> tuple[AnsweredMention, ...]:
    """Every such place outside the files that go with the model: kept ones where they will be, edited ones where they
    are. Raises `UnreadableSource`.
    """
    names, gone = _names(plan, tree)
    templates = frozenset(_deleted_templates(changes))
    names, gone = (replace(known, texts=known.texts | templates) for known in (names, gone))
    own = {file for module in plan.modules for file in module.files}
    edits = {edit.file: edit for edit in changes.edits}
    addresses = [a.outcome.address for a in plan.architectures if isinstance(a.outcome, Plugin)]
    losers = [a for a in plan.architectures if isinstance(a.outcome, Migrate) and a.losses]
    found: set[AnsweredMention] = set()
    for file, data in files_mentioning(tree.root, names.words, (PYTHON, *TEXTS)):
        if file not in own:
            edited, left = _parted(file, data, edits.get(file), names)
            found.update(AnsweredMention(mention, Answer.EDITED, "") for mention in edited)
            found.update(
                AnsweredMention(mention, Answer.KEPT, _reason(mention, data, losers, gone))
                # The row that says where a plugin is stays for good.
                for mention in left
                if mention.kind is not MentionKind.REGISTRY and not any(a in mention.line for a in addresses)
            )
    return tuple(sorted(found))


def _deleted_templates(changes: ChangeSet) -> Iterator[str]:
    """The names of chat templates that go, by which tests in other languages ask for them."""
    for edit in changes.edits:
        if isinstance(edit, Deletion) and edit.file.endswith(TEMPLATE):
            yield edit.file.rpartition("/")[2]


def _reason(mention: Mention, data: bytes, losers: list[RetiredArchitecture], gone: ModelNames) -> str:
    if mention.kind is MentionKind.TEST_PARAMETER:
        for architecture in losers:
            if mention.name in (architecture.name, *architecture.checkpoints):
                lost = loss_that_is_tested(mention, data, architecture.losses)
                if lost is not None:
                    return lost
    return reason_to_keep(mention, gone)


def _parted(file: str, data: bytes, edit: Edit | None, names: ModelNames) -> tuple[list[Mention], list[Mention]]:
    """The mentions of a file that an edit takes away or moves, and those that are there afterwards."""
    if edit is None:
        return [], list(_mentions(file, data, names))
    if isinstance(edit, Deletion):
        return list(_mentions(file, data, names)), []
    blocks = SequenceMatcher(None, data.splitlines(), edit.after.splitlines(), autojunk=False).get_matching_blocks()
    same_before = {line for block in blocks for line in range(block.a + 1, block.a + block.size + 1)}
    same_after = {line for block in blocks for line in range(block.b + 1, block.b + block.size + 1)}
    left = [
        mention
        for mention in _mentions(file, edit.after, names)
        # A row in a new place is the edit itself; a sentence whose link is mended still names the model.
        if mention.location.line in same_after or mention.kind is not MentionKind.DOCS_ROW
    ]
    return [m for m in _mentions(file, data, names) if m.location.line not in same_before], left


def kept(mentions: tuple[AnsweredMention, ...]) -> tuple[AnsweredMention, ...]:
    """Those that stay."""
    return tuple(found for found in mentions if found.answer is Answer.KEPT)


def _mentions(file: str, data: bytes, names: ModelNames) -> Iterator[Mention]:
    return (mentions_in_python if file.endswith(PYTHON) else mentions_in_text)(file, data, names)


def _names(plan: RetirementPlan, tree: SourceTree) -> tuple[ModelNames, ModelNames]:
    """What the retired models are called, and those of the names that mean nothing any more."""
    gone = gone_with(plan, tree)
    served = [a for a in plan.architectures if isinstance(a.outcome, Migrate)]
    still = {name for a in served for name in (a.name, *(c for c in a.checkpoints if "/" in c))}
    whole = [module for module in plan.modules if module.files]
    classes = {e.class_name for module in whole for a in module.architectures for e in a.entries} - {None}
    modules = frozenset(module.name for module in whole)
    named = frozenset(filter(None, classes))
    dead = ModelNames(gone.unmistakable | named - still, gone.model_types, modules)
    return ModelNames(gone.unmistakable | still | named, plan.model_types | gone.model_types, modules), dead
