"""Decides what a retirement does to the tree, or refuses it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from analyzer.engine.registry import (
    OUT_OF_TREE,
    PREVIOUSLY_SUPPORTED,
    TRANSFORMERS_SUPPORTED,
    RegistryEntry,
)
from analyzer.engine.test_registry import checkpoints_of, tested_architectures
from analyzer.errors import Refused
from codemods.plan import Migrate, Plugin, Remove, RetiredArchitecture, RetiredModule, RetirementPlan
from rules.findings import Capability, Level
from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from analyzer.engine.engine_tree import EngineTree
    from analyzer.engine.test_registry import TestedArchitecture
    from codemods.plan import Outcome
    from rules.assessment import Assessment


def plan_migration(engine: EngineTree, assessments: Sequence[Assessment], *, skip_docs: bool = False) -> RetirementPlan:
    """Plan the retirement of `assessments` to the backend.

    Raises `Refused` for a model that is retired already, that cannot load through the backend, or whose class would
    be left behind in a module that stays.
    """
    for assessment in assessments:
        refuse_without_module(assessment)
        _refuse_unable(assessment)
        _refuse_class_left_behind(assessment)
    return _plan(engine, assessments, Migrate, skip_docs=skip_docs)


def plan_removal(
    engine: EngineTree, assessments: Sequence[Assessment], outcome: Remove | Plugin, *, skip_docs: bool = False
) -> RetirementPlan:
    """Plan that the engine gives `assessments` up, or gives them to a plugin. What the backend could do is no matter.

    Raises `Refused` for a model that is retired already.
    """
    for assessment in assessments:
        refuse_without_module(assessment)
    return _plan(engine, assessments, lambda _: outcome, skip_docs=skip_docs)


def plan_as_decided(
    engine: EngineTree, assessments: Sequence[Assessment], outcomes: Mapping[str, Outcome]
) -> RetirementPlan:
    """Plan what somebody did by hand: `outcomes` says of each architecture what became of it. Nothing is refused."""
    plan = _plan(engine, assessments, Migrate, skip_docs=False)
    return replace(plan, modules=tuple(_with_outcomes(module, outcomes) for module in plan.modules))


def _with_outcomes(module: RetiredModule, outcomes: Mapping[str, Outcome]) -> RetiredModule:
    decided = tuple(replace(a, outcome=outcomes[a.name]) for a in module.architectures)
    return replace(module, architectures=decided)


def _plan(
    engine: EngineTree, assessments: Sequence[Assessment], outcome: Callable[[str], Outcome], *, skip_docs: bool
) -> RetirementPlan:
    named = {a for assessment in assessments for a in assessment.architectures}
    tested = tested_architectures(engine.files)
    modules = {a.module.name: a for a in assessments if a.module is not None}
    return RetirementPlan(
        tuple(_retired_module(engine, assessment, named, tested, outcome) for assessment in modules.values()),
        skip_docs,
    )


def refuse_without_module(assessment: Assessment) -> None:
    """Raise `Refused` where there is no hand-written module to retire, saying where the architecture is instead."""
    if assessment.module is not None:
        return
    name = assessment.architectures[0]
    raise Refused(
        f"{name}: {nothing_to_retire(assessment)}",
        f"`retire-model check {name}` says what the backend can do with it.",
    )


def nothing_to_retire(assessment: Assessment) -> str:
    """Why a model without a modeling file cannot be retired, in words that fit behind its name."""
    entry = assessment.entry
    if entry is None:
        return "nothing to retire, this engine has no modeling file for it"
    explained = {
        TRANSFORMERS_SUPPORTED: "it is already served by the Transformers modeling backend",
        PREVIOUSLY_SUPPORTED: f"it was removed, {entry.value} was the last release that had it",
        OUT_OF_TREE: f"it is served by the plugin at {entry.value}",
    }
    why = explained.get(entry.dictionary, "it has no modeling file")
    return f"nothing to retire, {why} ({entry.dictionary}, {entry.location})"


def _refuse_unable(assessment: Assessment) -> None:
    judgement = assessment.judgement
    if judgement.verdict is not Verdict.KEEP:
        return
    reason, *more = [f for f in judgement.findings if f.level is Level.BLOCKS]
    place = f" ({reason.location})" if reason.location else ""
    raise Refused(
        f"{assessment.name} cannot be retired, the backend of this engine cannot load it with Transformers "
        f"{judgement.release}: {reason.message}{place}{f', and {len(more)} more' if more else ''}",
        _what_can_go(assessment, {finding.architecture for finding in (reason, *more)}) or reason.remedy,
    )


def _what_can_go(assessment: Assessment, blocked: set[str]) -> str:
    """What to do where some architectures of a module keep the others from going; nothing where all of them do."""
    module = assessment.module
    able = [architecture for architecture in assessment.architectures if architecture not in blocked]
    if module is None or "" in blocked or not able:
        return ""
    in_the_way = " ".join(sorted(blocked))
    give_up = f"`retire-model {in_the_way} --remove` gives up what is in the way, and {module.name} can go after it."
    leaving = {entry.class_name for entry in module.entries if entry.architecture in able}
    if leaving <= {entry.class_name for entry in module.entries if entry.architecture not in able}:
        return f"`retire-model {' '.join(able)}` moves what can go, and the file stays for the rest. Or: {give_up}"
    return give_up


def _refuse_class_left_behind(assessment: Assessment) -> None:
    """Raise `Refused` where a class of the module would serve nobody, and the module stays for others.

    An architecture that shares its class with one that stays leaves nothing behind: only its entry moves.
    """
    module = assessment.module
    assert module is not None  # noqa: S101 - refuse_without_module saw to it
    leaving = {entry.class_name for entry in module.entries if entry.architecture in assessment.architectures}
    staying = [entry for entry in module.entries if entry.architecture not in assessment.architectures]
    if staying and not leaving <= {entry.class_name for entry in staying}:
        others = ", ".join(dict.fromkeys(entry.architecture for entry in staying))
        raise Refused(
            f"{module.name} also serves {others}: an architecture with a class of its own cannot leave it alone",
            f"Name the module itself ({module.name}) to retire them together.",
        )


def _retired_module(
    engine: EngineTree,
    assessment: Assessment,
    named: set[str],
    tested: tuple[TestedArchitecture, ...],
    outcome: Callable[[str], Outcome],
) -> RetiredModule:
    module = assessment.module
    assert module is not None  # noqa: S101 - refuse_without_module saw to it
    judgement = assessment.judgement
    return RetiredModule(
        name=module.name,
        files=module.files if named.issuperset(module.architectures) else (),
        architectures=tuple(
            RetiredArchitecture(
                name=architecture,
                entries=_bespoke_entries(engine, architecture),
                outcome=outcome(backend_class),
                checkpoints=checkpoints_of(tested, architecture),
                supports_lora=judgement.capabilities[Capability.LORA].backend is True,
                supports_pipeline_parallel=judgement.capabilities[Capability.PIPELINE_PARALLEL].backend is True,
                losses=judgement.losses,
            )
            for architecture, backend_class in assessment.backend_classes
        ),
    )


def _bespoke_entries(engine: EngineTree, architecture: str) -> tuple[RegistryEntry, ...]:
    return tuple(e for e in engine.registry.bespoke_entries() if e.architecture == architecture)
