"""Tells which mentions of a retired model are left as they are, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from codemods.built_by_name import missing_in_backend
from codemods.kept_mentions import KeptKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analyzer.source_tree import SourceTree
    from codemods.kept_mentions import KeptMention


def kept_report(kept: Sequence[KeptMention], tree: SourceTree) -> Text:
    """A line for each place; for a model that is built by name also what its user asks of it."""
    return Text("\n").join(
        [Text("\nKept", style="bold"), *(line for mention in kept for line in _lines(mention, tree))]
    )


def _lines(mention: KeptMention, tree: SourceTree) -> Iterator[Text]:
    yield Text.assemble((str(mention.location), "cyan"), f"  {mention.name}: {mention.kind}")
    if mention.kind is KeptKind.BUILT_BY_NAME and mention.uses:
        missing = missing_in_backend(mention, tree)
        has = [use for use in mention.uses if use not in missing]
        if has:
            yield Text(f"    it uses {', '.join(has)}, which the backend has")
        if missing:
            yield Text(f"    it uses {', '.join(missing)}, which the backend does not name: look there", style="yellow")
