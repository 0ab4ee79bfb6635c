"""`retire-model lint`: whether the parts of an engine tree agree. Needs no Transformers release and no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.suppressions import Suppressions
from analyzer.errors import WrongUse
from analyzer.uses.tree_facts import TreeFacts
from retire_model.baseline import read_baseline, unknown_faults, write_baseline
from retire_model.messages import counted, say
from retire_model.reports.fault_reports import REPORTS
from retire_model.reports.progress import DownloadProgress
from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.engine_argument import parse_engine, tree_to_read
from retire_model.sources.releases import ReleaseCache
from rules.lint.catalogue import find_faults

if TYPE_CHECKING:
    from pathlib import Path


def lint_tree(engine: str | None, baseline: Path | None, rewrite_baseline: bool, output_format: str) -> int:
    """Print the faults of a tree that no comment silences and `baseline` does not know; 1 where there are any.

    Raises `WrongUse` for a comment without a reason and a baseline that is none, `EnvironmentProblem` where the tree
    is no engine's.
    """
    if rewrite_baseline and baseline is None:
        raise WrongUse("--write-baseline needs a file to write to", "Name it with --baseline FILE.")
    tree = open_engine_tree(tree_to_read(parse_engine(engine), ReleaseCache(cache_folder(), DownloadProgress()))).files
    faults = find_faults(TreeFacts(tree), Suppressions(tree))
    if baseline is not None and rewrite_baseline:
        write_baseline(baseline, faults)
        say(f"{counted(len(faults), 'fault')} written to {baseline}.")
        return 0
    if baseline is not None:
        faults = unknown_faults(faults, read_baseline(baseline))
    click.echo(REPORTS[output_format](faults), nl=False)
    return 1 if faults else 0
