"""Turns findings into a verdict: for each capability kept, gained, lost, absent or unproven; for the model one word."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from rules.catalogue import RULES
from rules.findings import Capability, Finding, Level
from rules.offers import backend_offers, offered_today
from rules.remedies import remedy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from analyzer.engine.suppressions import Suppressions
    from rules.rule import Rule, Subject


class Status(StrEnum):
    """What becomes of a capability."""

    KEPT = "kept"
    GAINED = "gained"
    LOST = "lost"
    ABSENT = "absent"
    UNPROVEN = "unproven"


class Verdict(StrEnum):
    """What is to become of the modeling file."""

    RETIRE = "retire"
    RETIRE_WITH_LOSSES = "retire-with-losses"
    KEEP = "keep"
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class CapabilityVerdict:
    """A capability before and after; None where it cannot be told."""

    bespoke: bool | None
    backend: bool | None

    @property
    def status(self) -> Status:
        """What becomes of it."""
        if self.bespoke is None or self.backend is None:
            return Status.UNPROVEN
        if self.backend:
            return Status.KEPT if self.bespoke else Status.GAINED
        return Status.LOST if self.bespoke else Status.ABSENT


@dataclass(frozen=True, slots=True)
class Judgement:
    """One or several architectures judged against one Transformers release."""

    release: str
    capabilities: dict[Capability, CapabilityVerdict]
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """One word for the model."""
        if not self.capabilities[Capability.LOAD].backend:
            unclear = self.capabilities[Capability.LOAD].backend is None
            return Verdict.UNPROVEN if unclear else Verdict.KEEP
        statuses = {verdict.status for verdict in self.capabilities.values()}
        if Status.LOST in statuses:
            return Verdict.RETIRE_WITH_LOSSES
        return Verdict.UNPROVEN if Status.UNPROVEN in statuses else Verdict.RETIRE

    @property
    def losses(self) -> tuple[Capability, ...]:
        """The capabilities that a retirement loses."""
        return tuple(c for c, verdict in self.capabilities.items() if verdict.status is Status.LOST)

    @property
    def unproven(self) -> tuple[Capability, ...]:
        """The capabilities that reading alone cannot decide."""
        return tuple(c for c, verdict in self.capabilities.items() if verdict.status is Status.UNPROVEN)


def judge(subject: Subject, rules: Iterable[Rule] = RULES, suppressions: Suppressions | None = None) -> Judgement:
    """Ask `rules` about `subject` and weigh what they say, save what the engine tree's comments silence.

    Raises `WrongUse` for a comment without a reason.
    """
    findings = [
        replace(finding, architecture=subject.architecture)
        for rule in rules
        for finding in rule.check(subject)
        if not (suppressions and finding.location and suppressions.silences(finding.rule, finding.location))
    ]
    capabilities = {c: _weigh(subject, c, findings) for c in Capability}
    told = [replace(f, remedy=remedy(f, subject)) for f in _fitting(findings, capabilities)]
    return Judgement(subject.release, capabilities, tuple(told))


def _weigh(subject: Subject, capability: Capability, findings: Iterable[Finding]) -> CapabilityVerdict:
    bespoke = offered_today(subject, capability)
    backend: bool | None = backend_offers(subject, capability)
    levels = {f.level for f in findings if f.capability is capability}
    if any(f.level is Level.BLOCKS for f in findings) or Level.LOSES in levels:
        backend = False
    elif backend and Level.UNPROVEN in levels:
        backend = None
    return CapabilityVerdict(bespoke, backend)


def _fitting(findings: list[Finding], capabilities: dict[Capability, CapabilityVerdict]) -> Iterator[Finding]:
    """What is worth telling: a loss of what never was is a note, a gain of a model that cannot load is nothing."""
    for finding in findings:
        status = capabilities[finding.capability].status
        if finding.level is Level.LOSES and status is not Status.LOST:
            yield replace(finding, level=Level.NOTE)
        elif finding.level is not Level.GAINS or status is Status.GAINED:
            yield finding


def together(judgements: Sequence[Judgement]) -> Judgement:
    """What holds for all: of a module whose architectures go together, or of one model under several releases.

    Lost for one is lost for all; a finding that several share is told once, as grave as it is for any of them.
    """
    capabilities = {c: _worst([j.capabilities[c] for j in judgements]) for c in Capability}
    findings: dict[tuple[object, ...], Finding] = {}
    for finding in (f for j in judgements for f in j.findings):
        key = (finding.rule, finding.message, finding.location)
        known = findings.setdefault(key, finding)
        if known.architecture != finding.architecture:
            known = replace(known, architecture="")
        findings[key] = replace(known, level=min(known.level, finding.level, key=GRAVEST_FIRST.index))
    release = ", ".join(dict.fromkeys(j.release for j in judgements))
    return Judgement(release, capabilities, tuple(findings.values()))


GRAVEST_FIRST = (Level.BLOCKS, Level.LOSES, Level.UNPROVEN, Level.NOTE, Level.GAINS)
_WORST_FIRST = (Status.LOST, Status.UNPROVEN, Status.KEPT, Status.GAINED, Status.ABSENT)


def _worst(verdicts: list[CapabilityVerdict]) -> CapabilityVerdict:
    return min(verdicts, key=lambda verdict: _WORST_FIRST.index(verdict.status))
