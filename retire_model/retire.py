"""`retire-model MODEL…`: judge, plan, show, and with `--write` apply."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import click
from rich.text import Text

from analyzer.engine.model_names import find_models
from analyzer.errors import Refused, RetireModelError, WrongUse, shown
from analyzer.uses.downstream import downstream_references
from codemods.answered_mentions import answered_mentions, kept
from codemods.built_by_name import refuse_built_by_name
from codemods.catalogue import draft_retirement
from codemods.dependents import refuse_needed_modules
from codemods.family import whole_family
from codemods.planner import plan_migration, plan_removal, refuse_without_module
from codemods.registry.left import refuse_named_in_registry
from codemods.writing.check_after import check_after, faults_of
from codemods.writing.git_index import refuse_unstageable, stage
from codemods.writing.writer import apply
from retire_model.backend_tests import with_backend_tests
from retire_model.journal_key import journal_key
from retire_model.last_change import keep_last_change, last_change_of
from retire_model.messages import counted
from retire_model.outcome import chosen_outcome, refuse_mixed_outcomes, refuse_options_without_effect
from retire_model.proof import chosen_proof
from retire_model.reports.docs_notice import tell_missing_rows
from retire_model.reports.downstream_report import downstream_report
from retire_model.reports.fallback_notice import fallback_notice
from retire_model.reports.kept_report import kept_report
from retire_model.reports.layout import console, hanging, joined
from retire_model.reports.report_json import report
from retire_model.reports.report_text import assessment_report, giving_up_report, plan_report, title
from retire_model.reports.standard_output import cut_off
from retire_model.sources.trees import open_trees
from rules.assessment import Assessment, Assessor
from rules.findings import Capability
from rules.verdict import together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from analyzer.release.hugging_face import HuggingFaceSource
    from codemods.edits import ChangeSet
    from codemods.plan import Plugin, Remove, RetirementPlan
    from retire_model.last_change import LastChange
    from retire_model.sources.trees import Trees
    from rules.lint.check import Fault

EVERY_LOSS = "all"


def retire_models(
    models: Sequence[str],
    engine: str | None,
    releases: Sequence[str],
    write: bool,
    accept: Sequence[str],
    remove: bool,
    last_version: str | None,
    plugin: str | None,
    family: bool,
    inline_shared: bool,
    with_tests: bool,
    downstream: Sequence[Path],
    allow_missing: Sequence[str],
    copy_to: Path | None,
    to_index: bool,
    smoke: bool,
    keep: bool,
    engine_python: str | None,
    output_format: str,
) -> int:
    """Judge and plan the retirement of `models`, and apply it with `write`.

    Raises `Refused` for what cannot or may not be done, and for what `smoke` finds; then nothing is written.
    """
    accepted = _accepted(accept)
    refuse_mixed_outcomes(remove, last_version, plugin)
    refuse_options_without_effect(remove or plugin is not None, accept, with_tests, write, copy_to, to_index)
    proof = chosen_proof(
        smoke=smoke, keep=keep, engine_python=engine_python, served=write and not remove and plugin is None
    )
    text = output_format == "text"
    with cut_off("Nothing was written.") if write else nullcontext():
        trees = open_trees(engine, releases)
        if to_index:
            refuse_unstageable(trees.engine.files.root)
        outcome = chosen_outcome(trees.engine, remove, last_version, plugin)
        assessments = _assess(trees, models, family=family)
        if text:
            for assessment in assessments:
                refuse_without_module(assessment)
            shown_report = assessment_report if outcome is None else giving_up_report
            _show(shown_report(trees.engine, assessments))
        try:
            plan = _plan(trees, assessments, outcome, skip_docs="docs" in allow_missing)
            plan = replace(plan, inline_shared=inline_shared)
            if with_tests:
                plan = with_backend_tests(plan, trees, assessments)
            change_set = draft_retirement(plan, trees.engine)
            refuse_named_in_registry(plan, change_set, trees.engine.files)
            refuse_needed_modules(plan, change_set, trees.engine.files)
            mentions = answered_mentions(plan, change_set, trees.engine.files)
            refuse_built_by_name(plan, kept(mentions))
            needed = downstream_references(downstream, [module.name for module in plan.modules if module.files])
            tell_missing_rows(plan, trees.engine.files)
        except RetireModelError:
            if not text:
                click.echo(report(trees.engine, assessments))
            raise
        if text:
            _show(plan_report(change_set))
            _show(kept_report(mentions, planned=not write))
            if downstream:
                _show(downstream_report(needed))
        else:
            found = needed if downstream else None
            click.echo(report(trees.engine, assessments, change_set, mentions, downstream=found))
    written: Path | None = None
    known: tuple[Fault, ...] = ()
    if write:
        if outcome is None:
            _refuse_unaccepted(assessments, accepted)
        known = faults_of(trees.engine.files)
        with trees.writable(copy_to) as written:
            key = journal_key(written)
            change = last_change_of(written, ", ".join(title(assessment) for assessment in assessments), change_set)

            def prove(key: bytes = key, change: LastChange = change, root: Path = written) -> None:
                if proof is not None:
                    proof.run(trees.engine, root, plan, change_set)
                keep_last_change(root, key, change)

            apply(written, change_set, key, prove=prove)
            with cut_off(f"All changes are written to {written.resolve()}."):
                trees.mark_written(written, change_set)
    with nullcontext() if written is None else cut_off(f"All changes are written to {written.resolve()}."):
        if written is not None:
            _refuse_leftovers(written, plan, change_set, known)
            if to_index:
                stage(written, [edit.file for edit in change_set.edits])
        if text:
            _close(assessments, change_set, None if outcome else accepted, written)
            if written is not None:
                _show(_next_steps(engine, written))
            if outcome is not None:
                _show(fallback_notice(trees, plan))
    return 0


def _assess(trees: Trees, models: Sequence[str], *, family: bool) -> list[Assessment]:
    named = find_models(trees.engine, trees.sources, models)
    assessor = Assessor(trees.engine, trees.sources)
    return assessor.assess_all(whole_family(trees.engine, named) if family else named)


def _plan(
    trees: Trees, assessments: Sequence[Assessment], outcome: Remove | Plugin | None, *, skip_docs: bool
) -> RetirementPlan:
    if outcome is None:
        plan = plan_migration(trees.engine, assessments, skip_docs=skip_docs)
        known = [_provided_model_types(source, plan) for source in trees.sources]
        processors = all(_provides_processors(source, plan) for source in trees.sources)
        plan = replace(plan, provided_model_types=frozenset.intersection(*known), provides_processors=processors)
    else:
        plan = plan_removal(trees.engine, assessments, outcome, skip_docs=skip_docs)
    types = frozenset(t for source in trees.sources for t in _model_types(source, plan, trees))
    return replace(plan, model_types=types)


def _model_types(source: HuggingFaceSource, plan: RetirementPlan, trees: Trees) -> Iterator[str]:
    """The model types of the architectures, save those that an architecture of the same file may have that stays."""
    retired = {architecture.name for architecture in plan.architectures}
    live = {entry.architecture for entry in trees.engine.registry.live_entries()}
    shared = {source.file_of(name) for name in live - retired}
    for name in sorted(name for name in retired if source.file_of(name) not in shared):
        found = source.find(name)
        model_type = source.model_type(found.configuration) if found is not None else None
        if model_type is not None:
            yield model_type


def _provides_processors(source: HuggingFaceSource, plan: RetirementPlan) -> bool:
    """Whether the release has a processor for each of the architectures."""
    found = [source.find(architecture.name) for architecture in plan.architectures]
    return all(classes is not None and source.processor(classes.configuration) for classes in found)


def _provided_model_types(source: HuggingFaceSource, plan: RetirementPlan) -> frozenset[str]:
    """The model types of the configurations that the release has for the architectures of `plan`, and their parts."""
    found = [source.find(architecture.name) for architecture in plan.architectures]
    files = {classes.configuration.file for classes in found if classes is not None}
    names = [(file, name) for file in files for name in source.resolver.symbols(file)]
    classes = [source.resolver.find_class(file, name) for file, name in names]
    return frozenset(t for c in classes if c is not None if (t := source.model_type(c)) is not None)


def _show(text: Text) -> None:
    console().print(text)


def _accepted(names: Sequence[str]) -> frozenset[Capability]:
    """The capabilities whose loss is accepted. Raises `WrongUse` for a name that is none."""
    losable = [c for c in Capability if c is not Capability.LOAD]
    for name in names:
        if name not in [*losable, EVERY_LOSS]:
            reason = (
                "the loss of `load` cannot be accepted" if name == Capability.LOAD else f"no capability {shown(name)!r}"
            )
            raise WrongUse(f"--accept {shown(name)}: {reason}", f"Known: {', '.join(losable)}, {EVERY_LOSS}.")
    return frozenset(losable if EVERY_LOSS in names else map(Capability, names))


def _refuse_unaccepted(assessments: Sequence[Assessment], accepted: frozenset[Capability]) -> None:
    missing = _unaccepted(assessments, accepted)
    if missing:
        flags = " ".join(f"--accept {capability}" for capability in missing)
        raise Refused(f"not written: {', '.join(missing)} would be lost", f"To go on all the same: {flags}")


def _unaccepted(assessments: Sequence[Assessment], accepted: frozenset[Capability]) -> list[Capability]:
    lost = {c for assessment in assessments for c in assessment.judgement.losses}
    return [c for c in Capability if c in lost - accepted]


def _refuse_leftovers(root: Path, plan: RetirementPlan, change_set: ChangeSet, known: tuple[Fault, ...]) -> None:
    """Raise `Refused` where the written tree still leads to what is gone, or has other faults than those `known`."""
    leftovers = check_after(root, plan, change_set, known)
    if leftovers:
        lines = "".join(f"\n  {leftover.location}  {leftover.message}" for leftover in leftovers)
        raise Refused(f"written to {root}, but not all is well:{lines}", "Mend these places by hand.")


def _next_steps(engine: str | None, written: Path) -> Text:
    """How to go on from a tree that was written."""
    option = "" if engine is None else f" --engine {written}"
    return joined(hanging(Text(f"To take it back: retire-model undo{option}"), 0))


def _close(
    assessments: Sequence[Assessment],
    change_set: ChangeSet,
    accepted: frozenset[Capability] | None,
    written: Path | None,
) -> None:
    """The last lines: what was done, or what to type to have it done.

    There is nothing to accept (None) where the model goes anyway.
    """
    from codemods.edits import Deletion

    judgement = together([a.judgement for a in assessments])
    gone = [e for e in change_set.edits if isinstance(e, Deletion)]
    lines = sum(e.before.count(b"\n") for e in gone)
    names = ", ".join(map(title, assessments))
    kept = len(change_set.edits) - len(gone)
    done = "Would retire" if written is None else "Retired"
    deleted = f"{counted(len(gone), 'file')} deleted ({counted(lines, 'line')})" if gone else "no file deleted"
    told = f"{done} {names}: {deleted}, {kept} edited."
    said = [Text(), Text(told, style="bold")]
    if judgement.losses and accepted is not None:
        said.append(Text(f"Lost: {', '.join(judgement.losses)}."))
    if judgement.unproven and accepted is not None:
        smoke = "; ".join(f"`retire-model smoke {a.name}`" for a in assessments if a.judgement.unproven)
        said.append(Text(f"Unproven by reading: {', '.join(judgement.unproven)}. {smoke} on a checkpoint settles it."))
    if written is not None:
        said.append(Text(f"Written to {written.resolve()}. Looked again: no fault found."))
    else:
        flags = "".join(f" --accept {c}" for c in _unaccepted(assessments, accepted)) if accepted is not None else ""
        said.append(Text(f"Nothing was written. Add --write{flags} to do it."))
    _show(joined(part for line in said for part in hanging(line, 0)))
