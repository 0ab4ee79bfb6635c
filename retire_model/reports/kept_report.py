"""Tells what becomes of the places that name a retired model: how many are edited, which are kept, and why."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from codemods.answered_mentions import Answer
from retire_model.reports.layout import hanging
from rules.built_by_name import BuiltByName

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from codemods.answered_mentions import AnsweredMention

MOST_SHOWN = 12
"""Places kept for one reason; the report for machines has all."""


def kept_report(mentions: Sequence[AnsweredMention], *, planned: bool) -> Text:
    """The kinds of the places that are edited, and a line for each that is kept.

    What `check` says of the model is pointed at while the change is only `planned`: afterwards it finds no model.
    """
    kinds = Counter(found.mention.kind.value for found in mentions if found.answer is Answer.EDITED)
    edited = ", ".join(f"{kind} ({count})" for kind, count in sorted(kinds.items()))
    by_reason: dict[str, list[AnsweredMention]] = {}
    for found in mentions:
        if found.answer is Answer.KEPT:
            by_reason.setdefault(found.reason, []).append(found)
    lines = [Text("\nPlaces that name it", style="bold"), *hanging(Text(f"edited: {edited or 'none'}"), 2)]
    for reason, kept in by_reason.items():
        lines += [
            *hanging(Text(f"kept: {reason}"), 2),
            *(line for found in kept[:MOST_SHOWN] for line in _lines(found, planned=planned)),
        ]
        if len(kept) > MOST_SHOWN:
            lines.append(Text(f"  and {len(kept) - MOST_SHOWN} more, which --format json lists", style="dim"))
    return Text("\n").join(lines)


def _lines(found: AnsweredMention, *, planned: bool) -> Iterator[Text]:
    mention = found.mention
    place = Text.assemble("  ", (str(mention.location), "cyan"), f"  {mention.name}", (f"  [{mention.kind}]", "dim"))
    yield from hanging(place, 4)
    if mention.uses:
        ask = f"; what of this the backend has: `retire-model check {mention.name} --select {BuiltByName.code}`"
        yield from hanging(Text(f"    it uses {', '.join(mention.uses)}{ask if planned else ''}"), 4)
