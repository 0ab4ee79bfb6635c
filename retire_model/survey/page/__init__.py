"""The survey as one page that needs nothing else: no network, no file beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retire_model.survey.families import families, needs
from retire_model.survey.page.figures import bars, figures, graph, heat_map
from retire_model.survey.page.rendering import render
from retire_model.survey.remedies import unlocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.survey.changes import Changes
    from retire_model.survey.history import Release
    from retire_model.survey.rows import Row
    from retire_model.survey.survey import Survey


def survey_page(found: Survey, rows: Sequence[Row], changes: Changes | None) -> str:
    """The page of a survey, with `rows` in this order."""
    version = f"vLLM {found.engine.version}" if found.engine.version else "vLLM of unknown version"
    return render(
        "survey.html.j2",
        title=f"Models of {version} that can go",
        engine=version,
        releases=found.releases,
        figures=figures(found.rows),
        rows=rows,
        most_lines=max((row.lines_saved for row in rows if row.eligible), default=0) or 1,
        heat=heat_map(rows),
        graph=graph(found.rows, needs(found.rows)),
        unlocks=[unlock for unlock in unlocks(found.rows) if unlock.alone],
        families=families(found.rows),
        unread=found.unread,
        changes=changes,
    )


def history_page(releases: Sequence[Release]) -> str:
    """The page of a history."""
    plots = [
        ("Lines of hand-written models", bars([(r.version, r.lines) for r in releases])),
        ("Hand-written modules", bars([(r.version, r.modules) for r in releases])),
        ("Architectures on the backend", bars([(r.version, r.on_backend) for r in releases])),
        ("Architectures removed", bars([(r.version, r.removed) for r in releases])),
    ]
    ends = f"{releases[0].version} to {releases[-1].version}" if releases else ""
    return render("history.html.j2", title=f"Models of vLLM {ends}", releases=releases, plots=plots)
