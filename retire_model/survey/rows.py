"""One row for each hand-written model: what a retirement would save, what it would cost, and what is in the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.findings import Level
from rules.remedies import mend
from rules.verdict import Verdict

if TYPE_CHECKING:
    from rules.assessment import Assessment, OneArchitecture
    from rules.findings import Capability, Finding
    from rules.verdict import Judgement

ELIGIBLE = frozenset({Verdict.RETIRE, Verdict.RETIRE_WITH_LOSSES})
IN_THE_WAY = {
    Verdict.KEEP: Level.BLOCKS,
    Verdict.UNPROVEN: Level.UNPROVEN,
    Verdict.RETIRE_WITH_LOSSES: Level.LOSES,
}
"""Which findings keep a model from a better verdict."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a tree says of a model besides its modeling file."""

    falls: tuple[str, ...] = ()
    """Files of the models folder that nothing else imports."""
    falling_lines: int = 0
    dependents: tuple[str, ...] = ()
    """Files outside the module that import it, or hold its path."""
    builders: tuple[str, ...] = ()
    """Files outside the module that build one of its architectures by name."""
    tested: bool = False
    """Whether the engine's test registry names one of its architectures."""
    since: str | None = None
    """The day of its first commit, or the first release that has it; None where nothing says so."""


@dataclass(frozen=True, slots=True)
class Row:
    """A model of the survey."""

    assessment: Assessment
    judgement: Judgement
    """What holds under every release that was asked for."""
    around: Surroundings

    @property
    def module(self) -> str:
        """As the registry writes it."""
        return self.assessment.name

    @property
    def files(self) -> tuple[str, ...]:
        """The module's own."""
        return self.assessment.module.files if self.assessment.module is not None else ()

    @property
    def lines_saved(self) -> int:
        """The lines of its files and of those that fall with them."""
        own = self.assessment.module.lines if self.assessment.module is not None else 0
        return own + self.around.falling_lines

    @property
    def verdict(self) -> Verdict:
        """One word."""
        return self.judgement.verdict

    @property
    def eligible(self) -> bool:
        """Whether it can be retired, with or without losses."""
        return self.verdict in ELIGIBLE

    @property
    def lost(self) -> tuple[Capability, ...]:
        """The capabilities that a retirement loses; none of a model that cannot be retired at all."""
        return self.judgement.losses if self.verdict is not Verdict.KEEP else ()

    @property
    def gained(self) -> tuple[Capability, ...]:
        """The capabilities that it gains."""
        gained = (c for c, v in self.judgement.capabilities.items() if v.status == "gained")
        return tuple(gained) if self.verdict is not Verdict.KEEP else ()

    @property
    def entries_alone(self) -> tuple[OneArchitecture, ...]:
        """The architectures whose registry entries can go to the backend though the module has to stay."""
        return () if self.eligible else tuple(one for one in self.assessment.each if one.verdict in ELIGIBLE)

    @property
    def score(self) -> float:
        """Lines saved for each capability lost; the model itself counts as one, so that losing none is best."""
        return self.lines_saved / (1 + len(self.lost))

    @property
    def obstacles(self) -> tuple[Finding, ...]:
        """What keeps it from a better verdict."""
        level = IN_THE_WAY.get(self.verdict)
        return tuple(finding for finding in self.judgement.findings if finding.level is level)

    @property
    def mends(self) -> frozenset[str | None]:
        """What would take each obstacle away; None among them where one has no mend."""
        return frozenset(mend(finding) for finding in self.obstacles)

    @property
    def unlock(self) -> str | None:
        """The one mend that takes all obstacles away; None where it takes several, or none is known."""
        return next(iter(self.mends)) if len(self.mends) == 1 else None
