"""The question `needless-module`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.model_names import BespokeModel
from analyzer.engine.registry import OUT_OF_TREE, PREVIOUSLY_SUPPORTED, TRANSFORMERS_SUPPORTED
from retire_model.review.question import Question
from retire_model.review.remark import Remark, Severity
from rules.assessment import Assessor
from rules.findings import Capability, Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.engine.registry import Registry, RegistryEntry
    from analyzer.release.hugging_face import HuggingFaceSource
    from rules.assessment import Assessment

RETIRED = (TRANSFORMERS_SUPPORTED, PREVIOUSLY_SUPPORTED, OUT_OF_TREE)


class NeedlessModule(Question):
    """Whether a hand-written module that a change adds is needed.

    **What it does.** Looks for architectures that the registry leads to a module which was not there before, or that
    were served by the Transformers modeling backend, or given up, and come back with a module of their own. Each is
    judged as `retire-model check` would judge it. One that the backend cannot load needs its module, and nothing is
    said; so where reading cannot tell. Without a Transformers release only what comes back is told.

    **Why.** A modeling file is written once and kept for years. What the backend serves already needs none, and what
    it lacks is often a plan of a few lines in Transformers.

    **How to mend.** Register the backend's class instead of the module. Where the module is wanted all the same, as
    for speed, say so beside its registry entry: `# retire-model: ignore[needless-module] reason`.
    """

    code = "needless-module"


def added_entries(before: Registry | None, after: Registry) -> Iterator[RegistryEntry]:
    """The first entry of each architecture that got a module: a new one, or one again."""
    entries = before.bespoke_entries() if before else ()
    modules, seen = {entry.module for entry in entries}, {entry.architecture for entry in entries}
    for entry in after.bespoke_entries():
        if entry.architecture not in seen and (entry.module not in modules or _retired(before, entry.architecture)):
            seen.add(entry.architecture)
            yield entry


def needless_modules(
    added: Sequence[RegistryEntry],
    before: Registry | None,
    engine: EngineTree,
    sources: Sequence[HuggingFaceSource],
) -> Iterator[Remark]:
    """A remark for each of the `added_entries` that need not be."""
    assessor = Assessor(engine, tuple(sources)) if added and sources else None
    for entry in added:
        earlier = _retired(before, entry.architecture)
        if (assessor and assessor.suppressions.silences(NeedlessModule.code, entry.location)) or (
            assessor is None and earlier is None
        ):
            continue
        assessment = (
            assessor.assess(BespokeModel(entry.module or "", (entry.architecture,), whole=False)) if assessor else None
        )
        if earlier is not None or (assessment and assessment.judgement.capabilities[Capability.LOAD].backend):
            yield _remark(entry, earlier, assessment)


def _retired(before: Registry | None, architecture: str) -> RegistryEntry | None:
    entries = before.entries(architecture) if before else ()
    return next((entry for entry in entries if entry.dictionary in RETIRED), None)


def _remark(entry: RegistryEntry, earlier: RegistryEntry | None, assessment: Assessment | None) -> Remark:
    told = [f"{entry.architecture} gets the module {entry.module}"]
    if earlier is not None:
        told.append(f"it was in {earlier.dictionary}")
    told.extend(_verdict(entry.architecture, assessment))
    return Remark(
        entry.location,
        NeedlessModule.code,
        Severity.WARNING,
        "; ".join(told),
        f"Do without the module, or say beside the entry why it is wanted: "
        f"# retire-model: ignore[{NeedlessModule.code}] reason",
    )


def _verdict(architecture: str, assessment: Assessment | None) -> Iterator[str]:
    """What the backend can do with the architecture, and what it would take to have the rest."""
    if assessment is None:
        return
    judgement = assessment.judgement
    told = {Level.BLOCKS: "cannot load it", Level.LOSES: "lacks"}
    if judgement.capabilities[Capability.LOAD].backend:
        name = dict(assessment.backend_classes)[architecture]
        lost = f", save for {', '.join(judgement.losses)}" if judgement.losses else ", and nothing is lost"
        yield f'the backend serves it as ("transformers", "{name}") with Transformers {judgement.release}{lost}'
    for finding in judgement.findings:
        if finding.level in told:
            what = f" {finding.capability}" if finding.level is Level.LOSES else ""
            place = f" ({finding.location})" if finding.location else ""
            yield f"it {told[finding.level]}{what}: {finding.message}{place}. {_takes(finding.remedy)}"


def _takes(remedy: str) -> str:
    """What would mend a loss, without the flag of a command that is not the one being run."""
    return f"{remedy.partition(', or --accept')[0].removesuffix('.')}" if remedy else ""
