"""Opens what a command reads: the engine tree and the Transformers releases it is judged against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.engine_tree import EngineTree, open_engine_tree
from analyzer.release.hugging_face import HuggingFaceSource
from codemods.writing.journal import ForeignJournal
from codemods.writing.writer import Recovery, recover
from retire_model.journal_key import known_journal_key
from retire_model.messages import complain
from retire_model.reports.progress import DownloadProgress
from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.engine_argument import (
    Engine,
    EngineFolder,
    EngineRelease,
    parse_engine,
    tree_to_read,
    tree_to_write,
)
from retire_model.sources.releases import ReleaseCache
from retire_model.sources.transformers_argument import not_admitted, transformers_sources
from retire_model.sources.working_copy import mark

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from codemods.edits import ChangeSet


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The trees of one run."""

    engine: EngineTree
    sources: tuple[HuggingFaceSource, ...]
    argument: Engine
    cache: ReleaseCache

    def writable(self, copy_to: Path | None) -> AbstractContextManager[Path]:
        """The root that may be edited: the folder itself, or a fresh copy of a release, held until it is edited."""
        return tree_to_write(self.argument, self.cache, copy_to)

    def mark_written(self, root: Path, changes: ChangeSet) -> None:
        """Note that a copy of a release with `changes` is the tool's own work, which a later run may replace."""
        if isinstance(self.argument, EngineRelease):
            mark(root, self.engine.files.root, changes.contents)


def open_trees(engine: str | None, releases: Sequence[str]) -> Trees:
    """Open the trees that `--engine` and `--transformers` name. Raises the errors of each."""
    cache = ReleaseCache(cache_folder(), DownloadProgress())
    argument = parse_engine(engine)
    if isinstance(argument, EngineFolder):
        mend_cut_off_run(argument.path)
    tree = open_engine_tree(tree_to_read(argument, cache))
    found = transformers_sources(releases, tree.files, cache)
    outside = not_admitted(found, tree.files)
    if outside:
        complain(outside, "The verdict is what the engine would do with it, if it would run with it at all.")
    return Trees(tree, tuple(HuggingFaceSource(s.root, s.label) for s in found), argument, cache)


def mend_cut_off_run(root: Path) -> None:
    """Bring a tree that a killed run left half written to before or after, and say which."""
    match recover(root, known_journal_key(root)):
        case ForeignJournal() as foreign:
            complain(foreign.problem, foreign.remedy)
        case Recovery(outcome, files):
            complain(f"an earlier run was cut off; its changes to {', '.join(files)} are {outcome}")
