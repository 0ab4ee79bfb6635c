"""`retire-model check`: verdicts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from analyzer.model_names import find_models
from retire_model.trees import open_trees
from rules.assessment import Assessor
from rules.catalogue import choose
from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence


def check_models(
    models: Sequence[str],
    engine: str | None,
    releases: Sequence[str],
    select: Sequence[str],
    ignore: Sequence[str],
    output_format: str,
) -> int:
    """Judge `models` and print the report; 0 if each can be retired without a loss, 1 otherwise."""
    rules = choose(select, ignore)
    trees = open_trees(engine, releases)
    assessor = Assessor(trees.engine, trees.sources, rules)
    assessments = [assessor.assess(model) for model in find_models(trees.engine, trees.sources, models)]
    if output_format == "json":
        from retire_model.report_json import report

        click.echo(report(trees.engine, assessments))
    else:
        from retire_model.report_text import assessment_report, console

        console().print(assessment_report(trees.engine, assessments))
    clean = all(j.verdict is Verdict.RETIRE for a in assessments for j in a.judgements)
    return 0 if clean else 1
