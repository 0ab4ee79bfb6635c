"""`retire-model check`: verdicts alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from analyzer.engine.model_names import find_models
from analyzer.errors import WrongUse
from analyzer.uses.downstream import downstream_references
from retire_model.messages import say
from retire_model.sources.trees import open_trees
from rules.assessment import Assessor
from rules.catalogue import choose
from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analyzer.engine.model_names import NamedModel
    from retire_model.probe.probed import Probed
    from retire_model.sources.trees import Trees
    from rules.assessment import Assessment

ENDS = ("floor", "newest")
"""What `check` judges against where no release is named."""


def check_models(
    models: Sequence[str],
    engine: str | None,
    releases: Sequence[str],
    since: bool,
    select: Sequence[str],
    ignore: Sequence[str],
    downstream: Sequence[Path],
    probe: bool,
    probe_python: str | None,
    probe_seconds: int | None,
    output_format: str,
) -> int:
    """Judge `models` and print the report, with what the trees of `downstream` need of their modules.

    0 if each can be retired without a loss (or served, where no modeling file is), nothing downstream needs it and
    the probe agrees, 1 otherwise.
    Where no release is named, the ends of the range that the engine declares stand side by side. With `since` the
    releases of that range are walked instead, and the first with which each model is eligible is named.

    Raises `WrongUse` for options that do not go together, and the errors of reading and of the probe.
    """
    if since and (downstream or probe or select or ignore):
        raise WrongUse("--since only names releases", "Ask for --downstream, --probe, --select or --ignore after it.")
    if not probe and (probe_python is not None or probe_seconds is not None):
        raise WrongUse("--probe-python and --probe-seconds go with --probe", "Add --probe, or leave them out.")
    rules = choose(select, ignore)
    trees = open_trees(engine, releases or ENDS)
    found = find_models(trees.engine, trees.sources, models)
    if select or ignore:
        codes = ", ".join(rule.code for rule in rules) if select else f"all rules but {', '.join(ignore)}"
        say(f"Asked: {codes}. What the other rules find is not in this verdict.")
    if since:
        return _tell_since(trees, found, output_format)
    assessor = Assessor(trees.engine, trees.sources, rules)
    assessments = assessor.assess_all(found)
    needed = downstream_references(downstream, [a.module.name for a in assessments if a.module is not None])
    probed = _probe(trees, assessments, probe_python, probe_seconds) if probe else ()
    if output_format == "json":
        from retire_model.reports.report_json import report

        asked = needed if downstream else None
        click.echo(report(trees.engine, assessments, downstream=asked, probed=probed if probe else None))
    else:
        from retire_model.reports.downstream_report import downstream_report
        from retire_model.reports.layout import console
        from retire_model.reports.report_text import assessment_report

        console().print(assessment_report(trees.engine, assessments))
        if downstream:
            console().print(downstream_report(needed))
        if probe:
            from retire_model.probe.report import probe_report

            console().print(probe_report(probed))
    clean = all(j.verdict is Verdict.RETIRE for a in assessments for j in a.judgements)
    agreed = not any(p.disagreements for p in probed)
    return 0 if clean and agreed and not needed else 1


def _probe(
    trees: Trees, assessments: Sequence[Assessment], python: str | None, seconds: int | None
) -> tuple[Probed, ...]:
    from retire_model.probe.probed import probe_models
    from retire_model.probe.process import Probe
    from retire_model.reports.progress import end_steps, show_step

    probe = Probe()
    probe = replace(probe, python=python or probe.python, seconds=seconds or probe.seconds)
    found = probe_models(probe, trees.sources, assessments, show_step)
    end_steps()
    return found


def _tell_since(trees: Trees, models: Sequence[NamedModel], output_format: str) -> int:
    from retire_model.reports.progress import end_steps, show_step
    from retire_model.since import eligible_since

    found = eligible_since(trees, models, lambda version: show_step(f"Transformers {version}"))
    end_steps()
    if output_format == "json":
        from retire_model.reports.report_json import report

        click.echo(report(trees.engine, [eligibility.assessment for eligibility in found], since=found))
    else:
        from retire_model.reports.layout import console
        from retire_model.reports.since_report import since_report

        console().print(since_report(found))
    return 0 if all(eligibility.without_losses is not None for eligibility in found) else 1
