"""Tells which mentions of a retired model are left as they are, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from codemods.kept_mentions import KeptKind
from retire_model.layout import hanging
from rules.built_by_name import BuiltByName

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from codemods.kept_mentions import KeptMention


def kept_report(kept: Sequence[KeptMention]) -> Text:
    """A line for each place; for a model that is built by name also what its user asks of it."""
    return Text("\n").join([Text("\nKept", style="bold"), *(line for mention in kept for line in _lines(mention))])


def _lines(mention: KeptMention) -> Iterator[Text]:
    yield from hanging(Text.assemble((str(mention.location), "cyan"), f"  {mention.name}: {mention.kind}"), 4)
    if mention.kind is KeptKind.BUILT_BY_NAME and mention.uses:
        uses = f"it uses {', '.join(mention.uses)}; what of this the backend has: "
        yield from hanging(Text(f"    {uses}`retire-model check {mention.name} --select {BuiltByName.code}`"), 4)
