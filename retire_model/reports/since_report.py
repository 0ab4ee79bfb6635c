"""From which release on models are eligible, for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from retire_model.reports.findings_text import findings_text
from retire_model.reports.layout import hanging, joined
from rules.findings import Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retire_model.since import Eligibility

TOLD = {Level.BLOCKS, Level.LOSES, Level.UNPROVEN}
"""What stands in the way of retiring without a loss."""


def since_report(found: Sequence[Eligibility]) -> Text:
    """A sentence for each model, and what stands in its way with the releases that decide."""
    return joined(line for eligibility in found for line in _model(eligibility))


def _model(eligibility: Eligibility) -> Iterator[Text]:
    assessment = eligibility.assessment
    yield from hanging(Text(str(eligibility), style="bold"), 2)
    judgements = [j for j in assessment.judgements if j.release != str(eligibility.without_losses)]
    yield from findings_text(judgements, TOLD, of_several=len(assessment.architectures) > 1)


def since_json(eligibility: Eligibility) -> dict[str, str | None]:
    """The same as data; the findings are those of the model."""
    with_losses, without_losses = eligibility.with_losses, eligibility.without_losses
    return {
        "name": eligibility.name,
        "with_losses": str(with_losses) if with_losses else None,
        "without_losses": str(without_losses) if without_losses else None,
        "first": str(eligibility.first),
        "last": str(eligibility.last),
    }
