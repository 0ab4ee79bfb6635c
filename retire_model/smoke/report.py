"""What a smoke run of one architecture came to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - part of a public field
from typing import TYPE_CHECKING

from retire_model.smoke.outcomes import Failed, Inconclusive, NotRun, Passed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.smoke.measuring import Measurement
    from retire_model.smoke.outcomes import CheckResult
    from retire_model.smoke.settings import Settings
    from rules.assessment import Assessment


class RunnerKind(StrEnum):
    """What the numbers come from."""

    VLLM = "vllm"
    TRANSFORMERS = "transformers"


@dataclass(frozen=True, slots=True)
class SmokeReport:
    """One architecture."""

    architecture: str
    runner: RunnerKind
    settings: Settings
    tolerance: float
    versions: tuple[tuple[str, str], ...]
    before: str
    """Which tree and class, in words."""
    after: str
    not_laid_over: tuple[str, ...]
    """Files of a tree that are not what is installed and were not run."""
    results: tuple[CheckResult, ...]
    measurements: tuple[Measurement, ...]
    logs: Path
    seconds: float
    assessment: Assessment | None = None
    """What reading says; None where the sources could not be judged."""

    @property
    def is_emulation(self) -> bool:
        """Whether something other than the engine was run."""
        return self.runner is RunnerKind.TRANSFORMERS

    def count(self, kind: type[Passed | Failed | Inconclusive]) -> int:
        """How many checks ended so."""
        return sum(isinstance(result.outcome, kind) for result in self.results)

    @property
    def is_telling(self) -> bool:
        """Whether numbers could be compared, where the settings have any."""
        passed = [r.outcome for r in self.results if isinstance(r.outcome, Passed)]
        return any(outcome.difference is not None or not self.settings.compares_numbers for outcome in passed)

    @property
    def largest_difference(self) -> float | None:
        """Of all checks that passed."""
        seen = [r.outcome.difference for r in self.results if isinstance(r.outcome, Passed)]
        return max((d for d in seen if d is not None), default=None)


def exit_status(reports: Sequence[SmokeReport]) -> int:
    """1 where a check failed, 2 where one was not run or no numbers of a model could be compared, else 0."""
    if any(report.count(Failed) for report in reports):
        return 1
    told = [report.is_telling and not report.count(NotRun) for report in reports]
    return 0 if told and all(told) else 2
