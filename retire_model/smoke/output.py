"""Prints the reports in the form that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.smoke.report import SmokeReport


def show(reports: Sequence[SmokeReport], output_format: str) -> None:
    """Print them: `text`, `json` or `markdown`."""
    match output_format:
        case "json":
            from retire_model.smoke.report_json import json_report

            click.echo(json_report(reports))
        case "markdown":
            from retire_model.smoke.report_markdown import markdown_report

            click.echo("\n".join(markdown_report(reports)))
        case _:
            from retire_model.reports.layout import console
            from retire_model.smoke.report_text import text_report

            for report in reports:
                console().print(text_report(report))
