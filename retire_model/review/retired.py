"""Finds the models that a change takes their hand-written module from, and what is to become of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.engine.model_names import BespokeModel
from analyzer.engine.registry import OUT_OF_TREE, PREVIOUSLY_SUPPORTED, TRANSFORMERS_SUPPORTED
from analyzer.uses.reference import dotted_module
from codemods.last_version import last_version
from codemods.plan import Migrate, Plugin, Remove
from rules.assessment import Assessor
from rules.findings import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.registry import RegistryEntry
    from codemods.plan import Outcome
    from retire_model.review.change import Change
    from rules.assessment import Assessment


@dataclass(frozen=True, slots=True)
class Retired:
    """A module of the base whose architectures, or some of them, no longer lead to it."""

    assessment: Assessment
    """Of those architectures, in the base, where the module still is."""
    outcomes: dict[str, Outcome]
    """By architecture what becomes of it."""


def retired_models(change: Change) -> Iterator[Retired]:
    """Every such module. Raises the errors of reading, and of deciding where the change leaves everything open."""
    leaving: dict[str, list[str]] = {}
    for entry in change.base.registry.bespoke_entries():
        names = leaving.setdefault(entry.module or "", [])
        if entry.architecture not in names and not _is_bespoke(change, entry.architecture):
            names.append(entry.architecture)
    models = [BespokeModel(module, tuple(names), whole=False) for module, names in leaving.items() if names]
    for assessment in Assessor(change.base, change.sources).assess_all(models) if models else ():
        yield Retired(assessment, _outcomes(change, assessment))


def _is_bespoke(change: Change, architecture: str) -> bool:
    """Whether the architecture still leads to a module of the models folder, which is there."""
    return any(
        entry.architecture == architecture and change.head_facts.index.file_of(dotted_module(entry.module or ""))
        for entry in change.head.registry.bespoke_entries()
    )


def _outcomes(change: Change, assessment: Assessment) -> dict[str, Outcome]:
    said = {name: _said(change.head.registry.entries(name)) for name in assessment.architectures}
    known = [outcome for outcome in said.values() if outcome is not None]
    classes = dict(assessment.backend_classes)
    return {name: outcome or _left_open(change, assessment, known, classes[name]) for name, outcome in said.items()}


def _said(entries: tuple[RegistryEntry, ...]) -> Outcome | None:
    """What the registry of the head says became of the architecture."""
    for entry in entries:
        match entry.dictionary, entry.value:
            case (found, tuple()) if found == TRANSFORMERS_SUPPORTED and entry.class_name:
                return Migrate(entry.class_name)
            case (found, str() as version) if found == PREVIOUSLY_SUPPORTED:
                return Remove(version)
            case (found, str() as address) if found == OUT_OF_TREE:
                return Plugin(address)
    return None


def _left_open(change: Change, assessment: Assessment, known: list[Outcome], backend_class: str) -> Outcome:
    """What the module's other architectures became, else what the backend can do."""
    for outcome in known:
        return Migrate(backend_class) if isinstance(outcome, Migrate) else outcome
    if assessment.judgement.capabilities[Capability.LOAD].backend is False:
        return Remove(last_version(change.base))
    return Migrate(backend_class)
