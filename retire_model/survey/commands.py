"""`retire-model survey` and `retire-model history`."""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import TYPE_CHECKING

import click

from retire_model.reports.progress import DownloadProgress, end_steps, show_step
from retire_model.sources.cache_layout import CacheLayout, cache_folder
from retire_model.sources.releases import ReleaseCache
from retire_model.sources.trees import open_trees
from retire_model.survey.ages import ages_by_commit, ages_by_release
from retire_model.survey.changes import (
    baseline_of,
    changes,
    read_baseline,
    refuse_to_replace,
    write_baseline,
    write_text,
)
from retire_model.survey.history import Release, parse_range, read_history
from retire_model.survey.ranking import ranked
from retire_model.survey.survey import survey
from retire_model.survey.table import COLUMNS, as_csv, as_markdown, cells

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retire_model.survey.changes import Changes
    from retire_model.survey.rows import Row
    from retire_model.survey.survey import Survey


def survey_models(
    engine: str | None,
    releases: Sequence[str],
    sort: str,
    only: str | None,
    history: bool,
    baseline: Path | None,
    diff: Path | None,
    html: Path | None,
    output_format: str,
) -> int:
    """Survey the tree and print, and write the files that were asked for. 1 where a model could not be read, else 0.

    Raises the errors of reading, and of the files.
    """
    before = read_baseline(diff) if diff is not None else None
    if baseline is not None:
        refuse_to_replace(baseline)
    trees = open_trees(engine, releases)
    since = ages_by_release(trees.cache) if history else ages_by_commit(trees.engine)
    found = survey(trees.engine, trees.sources, since, CacheLayout(trees.cache.folder).surveys)
    now = baseline_of(found)
    changed = changes(before, now) if before is not None else None
    rows = ranked(found.rows, sort, only)
    if baseline is not None:
        write_baseline(baseline, now)
    if html is not None:
        from retire_model.survey.page import survey_page

        write_text(html, survey_page(found, ranked(found.rows, "rank", None), changed))
        click.echo(f"Wrote {html}.", err=True)
    _print(found, rows, changed, output_format)
    return 1 if found.unread else 0


def _print(found: Survey, rows: Sequence[Row], changed: Changes | None, output_format: str) -> None:
    if output_format == "json":
        from retire_model.survey.json_report import survey_json

        click.echo(survey_json(found, rows, changed))
    elif output_format == "csv":
        click.echo(as_csv(COLUMNS, [cells(row) for row in rows]))
    elif output_format == "markdown":
        click.echo(as_markdown(COLUMNS, [cells(row) for row in rows]))
    else:
        from retire_model.reports.layout import console
        from retire_model.survey.text import survey_text

        console().print(survey_text(found, rows, changed))


def show_history(versions: str, html: Path | None, output_format: str) -> int:
    """Print how the models moved over the releases of `versions`. Raises the errors of fetching and reading."""
    wanted = parse_range(versions)
    releases = read_history(ReleaseCache(cache_folder(), DownloadProgress()), wanted, lambda v: show_step(f"vLLM {v}"))
    end_steps()
    if html is not None:
        from retire_model.survey.page import history_page

        write_text(html, history_page(releases))
        click.echo(f"Wrote {html}.", err=True)
    _print_history(releases, output_format)
    return 0


def _print_history(releases: Sequence[Release], output_format: str) -> None:
    header = tuple(field.name for field in fields(Release))
    rows = [tuple(map(str, astuple(release))) for release in releases]
    if output_format == "json":
        import json

        found = [dict(zip(header, astuple(release), strict=True)) for release in releases]
        click.echo(json.dumps({"version": 1, "releases": found}, indent=2))
    elif output_format == "csv":
        click.echo(as_csv(header, rows))
    elif output_format == "markdown":
        click.echo(as_markdown(header, rows))
    else:
        from retire_model.reports.layout import console
        from retire_model.survey.text import history_text

        console().print(history_text(releases))
