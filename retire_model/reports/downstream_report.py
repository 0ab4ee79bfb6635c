"""What trees outside the engine take of modules that are to go, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from retire_model.reports.layout import aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analyzer.uses.downstream import DownstreamReference


def downstream_report(found: Sequence[DownstreamReference]) -> Text:
    """One line a place, or one that says that there is none."""
    if not found:
        return Text("\nDownstream: nothing needs what is to go.")
    rows = [
        [
            Text(place.place, style="cyan"),
            Text(place.reference.subject),
            Text(", ".join(place.reference.symbols)),
            Text(place.reference.kind.value, style="dim"),
        ]
        for place in found
    ]
    return Text("\n").join([Text(), Text("Downstream, this breaks:", style="bold"), *aligned(rows)])
