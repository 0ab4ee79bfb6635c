"""Walks the Transformers releases that an engine admits, to find the first with which a model can be retired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.hugging_face import HuggingFaceSource
from analyzer.requirements import read_declared_range
from rules.assessment import Assessor
from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from packaging.version import Version

    from analyzer.model_names import NamedModel
    from retire_model.trees import Trees
    from rules.verdict import Judgement


@dataclass(frozen=True, slots=True)
class Eligibility:
    """The first releases, of those the engine admits, with which a model can be retired."""

    name: str
    with_losses: Version | None
    """With losses or without; None where no release is one."""
    without_losses: Version | None
    first: Version
    last: Version
    """The ends of the range that was walked."""

    def __str__(self) -> str:
        """In a sentence."""
        if self.with_losses is None:
            return f"{self.name}: not eligible with any Transformers release from {self.first} to {self.last}"
        if self.without_losses is None:
            return f"{self.name}: eligible from Transformers {self.with_losses} on, with losses up to {self.last}"
        if self.with_losses == self.without_losses:
            return f"{self.name}: eligible from Transformers {self.with_losses} on, nothing is lost"
        return (
            f"{self.name}: eligible with losses from Transformers {self.with_losses} on, "
            f"without from {self.without_losses} on"
        )


def eligible_since(
    trees: Trees, models: Sequence[NamedModel], tell: Callable[[Version], None] = lambda _: None
) -> list[Eligibility]:
    """Judge `models` against each release in turn, lowest first, until each is eligible without a loss.

    `tell` hears of each release before it is read. Raises the errors of fetching and reading.
    """
    declared = read_declared_range(trees.engine.files, "transformers")
    versions = trees.cache.admitted("transformers", declared.specifier)
    lossy: dict[NamedModel, Version] = {}
    clean: dict[NamedModel, Version] = {}
    names: dict[NamedModel, str] = {}
    assessor = Assessor(trees.engine, ())
    for version in versions:
        tell(version)
        source = HuggingFaceSource(trees.cache.transformers(version), str(version))
        for model, assessment in zip(models, assessor.against(source).assess_all(models), strict=True):
            names[model] = assessment.name
            if _eligible(assessment.judgement):
                lossy.setdefault(model, version)
                if not assessment.judgement.losses:
                    clean.setdefault(model, version)
        if len(clean) == len(models):
            break
    ends = versions[0], versions[-1]
    return [Eligibility(names[model], lossy.get(model), clean.get(model), *ends) for model in models]


def _eligible(judgement: Judgement) -> bool:
    return judgement.verdict in (Verdict.RETIRE, Verdict.RETIRE_WITH_LOSSES)
