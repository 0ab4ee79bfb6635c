"""`retire-model undo`: takes back the last change set that was written to a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from analyzer.errors import Refused, WrongUse
from analyzer.source.regular_files import read_regular_file
from analyzer.source.source_tree import SourceTree
from codemods.edits import ChangeSet, Creation, Deletion, Rewrite
from codemods.writing.git_index import refuse_unstageable, stage
from codemods.writing.journal import digest
from codemods.writing.recovery import digest_of
from codemods.writing.targets import target_of
from codemods.writing.writer import apply
from retire_model.journal_key import journal_key, known_journal_key
from retire_model.last_change import LastChange, forget_last_change, known_last_change
from retire_model.messages import counted
from retire_model.reports.standard_output import cut_off
from retire_model.sources.engine_argument import EngineFolder, parse_engine
from retire_model.sources.trees import mend_cut_off_run
from retire_model.sources.working_copy import is_as_left, mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Edit

REASON = "as it was before"


def undo_last_change(engine: str | None, to_index: bool) -> int:
    """Give every file of the last change set back what it was, all or nothing.

    Raises `Refused` where none is known or a file was changed since, and what writing raises.
    """
    argument = parse_engine(engine)
    if not isinstance(argument, EngineFolder):
        raise WrongUse("--engine names a release, which is never edited", "Name the folder of its working copy.")
    root = argument.path
    mend_cut_off_run(root)
    change = known_last_change(root, known_journal_key(root))
    if change is None:
        raise Refused(
            f"no change set of yours to {root.resolve()} is known",
            "Only the last one can be taken back, once, and from the folder that it was written to.",
        )
    if to_index:
        refuse_unstageable(root)
    with cut_off("Nothing was taken back."):
        changes = ChangeSet(tuple(_backwards(SourceTree(root), change)))
    if not changes.edits:
        forget_last_change(root)
        raise Refused(f"the change set of {change.title} is taken back already", "There is nothing to do.")
    as_left = is_as_left(root)
    apply(root, changes, journal_key(root), only_committed=False)
    with cut_off(f"All files in {root.resolve()} are as they were."):
        forget_last_change(root)
        if as_left:
            mark(root.resolve(), root, {})
        if to_index:
            stage(root, [edit.file for edit in changes.edits])
        click.echo(f"Took back {change.title}: {counted(len(changes.edits), 'file')} in {root.resolve()} as before.")
    return 0


def _backwards(tree: SourceTree, change: LastChange) -> Iterator[Edit]:
    """The edits that lead back. Raises `Refused` where a file is neither as it was nor as it became."""
    targets = {f.file: target_of(tree, f.file).path for f in change.files}
    now = {file: digest_of(path) for file, path in targets.items()}
    changed = [f.file for f in change.files if now[f.file] not in (f.after, _digest(f.before))]
    if changed:
        raise Refused(
            f"changed since {change.title} was retired: {', '.join(changed)}",
            "Put these files back to what the change set made of them, or take it back by hand.",
        )
    for f in change.files:
        if now[f.file] == _digest(f.before):
            continue
        if f.before is None:
            yield Deletion(f.file, read_regular_file(targets[f.file]), (REASON,))
        elif f.after is None:
            yield Creation(f.file, f.before, (REASON,), f.mode)
        else:
            yield Rewrite(f.file, read_regular_file(targets[f.file]), f.before, (REASON,))


def _digest(content: bytes | None) -> str | None:
    return None if content is None else digest(content)
