"""Walks the Transformers releases that an engine admits, to find the first with which a model can be retired."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from analyzer.engine.requirements import read_declared_range
from analyzer.release.hugging_face import HuggingFaceSource
from rules.assessment import Assessment, Assessor
from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from packaging.version import Version

    from analyzer.engine.model_names import NamedModel
    from retire_model.sources.trees import Trees
    from rules.verdict import Judgement


@dataclass(frozen=True, slots=True)
class Eligibility:
    """The first releases, of those the engine admits, with which a model can be retired."""

    assessment: Assessment
    """The model, judged against the releases that decide: the first with losses, and the last that was read for it."""
    with_losses: Version | None
    """With losses or without; None where no release is one."""
    without_losses: Version | None
    first: Version
    last: Version
    """The ends of the range that was walked."""

    @property
    def name(self) -> str:
        """What to call the model in a report."""
        return self.assessment.name

    def __str__(self) -> str:
        """In a sentence."""
        if self.with_losses is None:
            unproven = self.assessment.judgements[-1].verdict is Verdict.UNPROVEN
            verdict = "cannot be decided by reading alone" if unproven else "not eligible"
            return f"{self.name}: {verdict} with any Transformers release from {self.first} to {self.last}"
        if self.without_losses is None:
            return f"{self.name}: eligible from Transformers {self.with_losses} on, with losses up to {self.last}"
        if self.with_losses == self.without_losses:
            return f"{self.name}: eligible from Transformers {self.with_losses} on, nothing is lost"
        return (
            f"{self.name}: eligible with losses from Transformers {self.with_losses} on, "
            f"without from {self.without_losses} on"
        )


@dataclass(slots=True)
class _Walk:
    """One model on its way through the releases."""

    assessment: Assessment
    last: Judgement
    with_losses: tuple[Version, Judgement] | None = None
    without_losses: Version | None = None

    def go_on(self, version: Version, judgement: Judgement) -> None:
        """Take the next release in; after the first without a loss nothing more is asked."""
        if self.without_losses is not None:
            return
        self.last = judgement
        if judgement.verdict in (Verdict.RETIRE, Verdict.RETIRE_WITH_LOSSES):
            self.with_losses = self.with_losses or (version, judgement)
            if not judgement.losses:
                self.without_losses = version

    def ended(self, first: Version, last: Version) -> Eligibility:
        """What was found between these ends."""
        lossy = self.with_losses
        deciding = (lossy[1], self.last) if lossy is not None and lossy[1] is not self.last else (self.last,)
        assessment = replace(self.assessment, judgements=deciding)
        return Eligibility(assessment, lossy[0] if lossy else None, self.without_losses, first, last)


def eligible_since(
    trees: Trees, models: Sequence[NamedModel], tell: Callable[[Version], None] = lambda _: None
) -> list[Eligibility]:
    """Judge `models` against each release in turn, lowest first, until each is eligible without a loss.

    `tell` hears of each release before it is read. Raises the errors of fetching and reading.
    """
    declared = read_declared_range(trees.engine.files, "transformers")
    versions = trees.cache.admitted("transformers", declared.specifier)
    walks: dict[NamedModel, _Walk] = {}
    assessor = Assessor(trees.engine, ())
    for version in versions:
        tell(version)
        source = HuggingFaceSource(trees.cache.transformers(version), str(version))
        for model, assessment in zip(models, assessor.against(source).assess_all(models), strict=True):
            (judgement,) = assessment.judgements
            walks.setdefault(model, _Walk(assessment, judgement)).go_on(version, judgement)
        if all(walk.without_losses is not None for walk in walks.values()):
            break
    return [walks[model].ended(versions[0], versions[-1]) for model in models]
