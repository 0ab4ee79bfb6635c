"""`retire-model new-model`: whether the hand-written modules that a commit adds are needed. No network."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.registry import REGISTRY_FILE, registry_of
from analyzer.errors import EnvironmentProblem
from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.source.source_tree import parse_python
from retire_model.messages import complain
from retire_model.reports.plain_text import plain
from retire_model.review.git_objects import Repository
from retire_model.review.needless_module import added_entries, needless_modules
from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.local_releases import LocalReleases
from retire_model.sources.transformers_argument import transformers_sources

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analyzer.engine.registry import Registry
    from analyzer.source.source_tree import SourceTree

FROM_PRE_COMMIT = "PRE_COMMIT_FROM_REF"
"""Set where pre-commit looks at a range of commits instead of the one that is being made."""


def judge_new_models(engine: Path, base: str | None, releases: Sequence[str]) -> int:
    """Print a remark for each module of the work tree that `base` has not and nobody needs; 1 where there is one.

    Raises `EnvironmentProblem` where the tree is no engine's or not in git, `WrongUse` for an unknown `base`.
    """
    tree = open_engine_tree(engine)
    before = _registry_at(Repository(engine), base or os.environ.get(FROM_PRE_COMMIT) or "HEAD")
    added = list(added_entries(before, tree.registry))
    if not added:
        return 0
    remarks = list(needless_modules(added, before, tree, _local_sources(tree.files, releases)))
    for remark in remarks:
        told, *more = remark.message.split("; ")
        click.echo(f"{plain(f'{remark.location}: {told}')} [{remark.code}]")
        for line in (*more, remark.remedy):
            click.echo(f"    {plain(line)}")
    return 1 if remarks else 0


def _registry_at(repository: Repository, ref: str) -> Registry | None:
    """The registry of a commit; None where it has none. Raises as `Repository.commit`, and `UnreadableSource`."""
    data = repository.blob(repository.commit(ref), REGISTRY_FILE)
    return registry_of(parse_python(data, f"{ref}:{REGISTRY_FILE}")) if data is not None else None


def _local_sources(tree: SourceTree, releases: Sequence[str]) -> tuple[HuggingFaceSource, ...]:
    """The Transformers releases to judge against that are at hand; none where none is, and then that is said."""
    try:
        found = transformers_sources(releases, tree, LocalReleases(cache_folder()))
    except EnvironmentProblem as problem:
        complain(f"what the backend can serve was not looked at: {problem.problem}", problem.remedy)
        return ()
    return tuple(HuggingFaceSource(source.root, source.label) for source in found)
