"""Tells which mentions of a retired model are left as they are, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from codemods.kept_mentions import KeptKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from codemods.kept_mentions import KeptMention


def kept_report(kept: Sequence[KeptMention]) -> Text:
    """A line for each place; for a model that is built by name also what its user asks of it."""
    return Text("\n").join([Text("\nKept", style="bold"), *(line for mention in kept for line in _lines(mention))])


def _lines(mention: KeptMention) -> Iterator[Text]:
    yield Text.assemble((str(mention.location), "cyan"), f"  {mention.name}: {mention.kind}")
    if mention.kind is KeptKind.BUILT_BY_NAME and mention.uses:
        yield Text(f"    it uses {', '.join(mention.uses)}: the findings of built-by-name say what the backend has")
