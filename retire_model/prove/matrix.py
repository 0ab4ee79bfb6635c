"""The cases as the matrix of a job of GitHub's, for `strategy.matrix`."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING

from retire_model.messages import complain, counted
from retire_model.prove.models import eligible, named
from retire_model.sources.cache_layout import CacheLayout
from retire_model.sources.trees import open_trees

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_JOBS = 256
"""That GitHub makes of one matrix."""


def github_matrix(models: Sequence[str], releases: Sequence[str], ranks: Sequence[int], engine: str | None) -> str:
    """One line of JSON: `include`, with a job a case. Says what is left out. Raises the errors of reading."""
    trees = open_trees(engine, releases)
    kept = CacheLayout(trees.cache.folder).surveys
    jobs = {}
    for source in trees.sources:
        names = named(models, trees.engine, source) if models else eligible(trees.engine, source, kept)
        for name, count in product(names, dict.fromkeys(ranks)):
            jobs[name, source.label, count] = {
                "architecture": name,
                "transformers": source.label,
                "tensor-parallel": count,
            }
    order = {name: number for number, name in enumerate(dict.fromkeys(name for name, _, _ in jobs))}
    include = sorted(jobs.values(), key=lambda job: order[str(job["architecture"])])
    if len(include) > MOST_JOBS:
        left_out = include[MOST_JOBS:]
        complain(
            f"GitHub makes {MOST_JOBS} jobs of a matrix at most: {counted(len(left_out), 'case')} left out, "
            f"from {left_out[0]['architecture']} on",
            "Name models, fewer releases or fewer ranks, in several matrices.",
        )
    return json.dumps({"include": include[:MOST_JOBS]})
