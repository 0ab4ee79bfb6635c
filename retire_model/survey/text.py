"""The survey for people on a terminal."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from retire_model.messages import counted
from retire_model.reports.layout import aligned, hanging, joined
from retire_model.reports.report_text import VERDICTS
from retire_model.survey.families import families
from retire_model.survey.remedies import unlocks
from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retire_model.survey.changes import Changes
    from retire_model.survey.families import Family
    from retire_model.survey.history import Release
    from retire_model.survey.rows import Row
    from retire_model.survey.survey import Survey

MOST_NAMED = 6
MOST_UNLOCKS = 10


def survey_text(found: Survey, rows: Sequence[Row], changes: Changes | None) -> Text:
    """The figures, the rows, what would unlock most, and families."""
    lines = [*_figures(found), Text(), *_rows(rows), *_unlocks(found), *_families(families(found.rows))]
    return joined([*lines, *_unread(found), *(_changes(changes) if changes is not None else ())])


def _figures(found: Survey) -> Iterator[Text]:
    version = f"vLLM {found.engine.version}" if found.engine.version else "vLLM of unknown version"
    against = ", ".join(found.releases)
    yield Text(f"{version} at {found.engine.files.real_root}, Transformers {against}", style="dim")
    count = Counter(row.verdict for row in found.rows)
    lines = Counter[Verdict]()
    for row in found.rows:
        lines[row.verdict] += row.lines_saved
    yield Text(f"{counted(len(found.rows), 'hand-written model')}, {lines.total():,} lines", style="bold")
    for verdict, (words, style) in VERDICTS.items():
        yield Text.assemble(f"{count[verdict]:5} ", (words, style), f", {lines[verdict]:,} lines")


def _rows(rows: Sequence[Row]) -> Iterator[Text]:
    headings = ("model", "verdict", "lines", "needed by", "loses, or what is in the way")
    table = [[Text(heading, style="dim") for heading in headings]]
    for row in rows:
        style = VERDICTS[row.verdict][1]
        needed = len(row.around.dependents) + len(row.around.builders)
        table.append(
            [Text(row.module), Text(row.verdict, style), Text(f"{row.lines_saved:,}"), Text(str(needed)), _way(row)]
        )
    return aligned(table) if rows else iter((Text("No model is like that."),))


def _way(row: Row) -> Text:
    if row.eligible:
        said = ", ".join(row.lost) or "nothing is lost"
    else:
        said = ", ".join(dict.fromkeys(finding.rule for finding in row.obstacles))
    if row.unlock is not None:
        said = f"{said}: {row.unlock}"
    if row.entries_alone:
        said = f"{said}; its entries {', '.join(one.architecture for one in row.entries_alone)} can go without it"
    return Text(said)


def _unlocks(found: Survey) -> Iterator[Text]:
    known = [unlock for unlock in unlocks(found.rows) if unlock.alone]
    if known:
        yield from (Text(), Text("What would unlock most", style="bold"))
    rows = []
    for unlock in known[:MOST_UNLOCKS]:
        gain = f"{unlock.lines:,} lines" if unlock.lines else f"{unlock.lossless_lines:,} lines without loss"
        more = f", a part of {len(unlock.with_others)} more" if unlock.with_others else ""
        names = _named([row.module for row in unlock.alone])
        rows.append([Text(gain), Text(f"{unlock.mend} ({counted(len(unlock.alone), 'model')}{more}: {names})")])
    yield from aligned(rows) if rows else ()


def _families(found: Sequence[Family]) -> Iterator[Text]:
    if found:
        yield from (Text(), Text("Families", style="bold"))
    for family in found:
        yield Text(f"{counted(len(family.modules), 'module')}: {_named(family.modules)}")
        for number, wave in enumerate(family.waves, 1):
            yield from hanging(Text(f"  {number}. {', '.join(wave)}"), 5)
        for module, by in family.held:
            yield from hanging(Text(f"  {module} waits for {_named(by)}", style="dim"), 4)


def _named(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _unread(found: Survey) -> Iterator[Text]:
    for unread in found.unread:
        yield Text(f"{unread.model.module} is left out: {unread.problem}", style="red")


def _changes(found: Changes) -> Iterator[Text]:
    against = ", ".join(found.transformers)
    yield from (Text(), Text(f"Since vLLM {found.engine} with Transformers {against}", style="bold"))
    told = {
        "can go now": found.eligible,
        "can no longer go": found.no_longer,
        "lose less": found.fewer_losses,
        "lose more": found.more_losses,
        "are new": found.new,
        "are gone": found.gone,
    }
    for words, modules in told.items():
        if modules:
            yield from hanging(Text(f"{len(modules)} {words}: {', '.join(modules)}"), 2)
    if not any(told.values()):
        yield Text("Nothing changed.")


def history_text(releases: Sequence[Release]) -> Text:
    """A line a release."""
    headings = ("vLLM", "hand-written", "lines", "architectures", "on the backend", "removed")
    rows = [[Text(heading, style="dim") for heading in headings]]
    for r in releases:
        numbers = (r.version, f"{r.modules}", f"{r.lines:,}", f"{r.architectures}", f"{r.on_backend}", f"{r.removed}")
        rows.append([Text(number) for number in numbers])
    return joined(aligned(rows))
