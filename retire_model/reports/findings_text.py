"""The findings for people: the gravest first, each once, whatever releases and architectures it holds for."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from retire_model.reports.layout import hanging
from rules.findings import Finding, Level
from rules.verdict import GRAVEST_FIRST

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rules.verdict import Judgement

LEVEL_STYLES = {
    Level.BLOCKS: "bold red",
    Level.LOSES: "yellow",
    Level.UNPROVEN: "magenta",
    Level.NOTE: "dim",
    Level.GAINS: "green",
}
INDENT = 9


@dataclass(frozen=True, slots=True)
class Told:
    """A finding and where it stands in each release that has it."""

    finding: Finding
    lines: dict[str, list[int]] = field(default_factory=dict)
    """For each release the lines of the finding's file; none where it has no place."""


def findings_text(
    judgements: Sequence[Judgement], levels: Iterable[Level] = GRAVEST_FIRST, *, of_several: bool
) -> Iterator[Text]:
    """What was found under each release; what holds under some of several alone stands below a heading.

    Of several architectures, a finding about one says which.
    """
    releases = tuple(judgement.release for judgement in judgements)
    wanted = frozenset(levels)
    found = [told for told in _told(judgements) if told.finding.level in wanted]
    parts = dict.fromkeys([releases, *(tuple(told.lines) for told in found)])
    for part in parts:
        own = [told for told in found if tuple(told.lines) == part]
        if own and part != releases:
            yield Text(f"with Transformers {', '.join(part)} alone:", style="bold")
        yield from _in_order(own, of_several=of_several)


def _told(judgements: Iterable[Judgement]) -> Iterable[Told]:
    found: dict[tuple[object, ...], Told] = {}
    for judgement in judgements:
        for finding in judgement.findings:
            file = finding.location.file if finding.location else None
            key = (finding.rule, finding.level, finding.message, finding.remedy, finding.architecture, file)
            lines = found.setdefault(key, Told(finding)).lines.setdefault(judgement.release, [])
            if finding.location is not None and finding.location.line not in lines:
                lines.append(finding.location.line)
    return found.values()


def _in_order(found: Sequence[Told], *, of_several: bool) -> Iterator[Text]:
    """The gravest first, those of one rule together; what several ask for is told once, behind the last of them."""
    rules = list(dict.fromkeys(told.finding.rule for told in found))
    ordered = sorted(found, key=lambda t: (GRAVEST_FIRST.index(t.finding.level), rules.index(t.finding.rule)))
    for _, group in groupby(ordered, key=lambda t: (t.finding.level, t.finding.rule, t.finding.remedy)):
        same = tuple(group)
        for told in same:
            yield from _finding(told, of_several=of_several)
        if remedy := same[-1].finding.remedy:
            yield from hanging(Text.assemble(" " * INDENT, (remedy, "italic")), INDENT)


def _finding(told: Told, *, of_several: bool) -> Iterator[Text]:
    finding = told.finding
    level = (f"{finding.level.value:<{INDENT}}", LEVEL_STYLES[finding.level])
    about = finding.architecture
    of = f"{about}: " if of_several and about and about not in finding.message else ""
    yield from hanging(Text.assemble(level, of, finding.message, (f"  [{finding.rule}]", "dim")), INDENT)
    if finding.location is not None:
        yield from hanging(Text.assemble(" " * INDENT, (_place(finding.location.file, told.lines), "cyan")), INDENT)


def _place(file: str, lines: dict[str, list[int]]) -> str:
    """`file.py:103, :106`, or where releases differ `file.py:103 (5.16.1), :99 (5.20.2)`."""
    shown = {release: ", :".join(map(str, numbers)) for release, numbers in lines.items()}
    if len(set(shown.values())) == 1:
        return f"{file}:{next(iter(shown.values()))}"
    return f"{file}:{', :'.join(f'{numbers} ({release})' for release, numbers in shown.items())}"
