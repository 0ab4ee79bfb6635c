"""What became of a case, and how that is written down."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from retire_model.prove.attempts import Attempt, NoReport, Reported

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retire_model.prove.cases import Case

VERSION = 1


class Word(StrEnum):
    """The outcome of a case, as the smoke run has it for a check."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Result:
    """The last attempt at a case."""

    key: str
    architecture: str
    transformers: str
    tensor_parallel: int
    command: tuple[str, ...]
    outcome: Word
    reason: str
    """Of the gravest check; empty where all is well."""
    attempts: int
    seconds: float
    machine: str
    ended: str
    """When, in ISO 8601."""
    report: dict[str, Any] | None
    """One model of `docs/smoke.schema.json`."""

    @property
    def is_final(self) -> bool:
        """Whether running it again would tell nothing new."""
        return self.outcome is not Word.NOT_RUN


def result_of(case: Case, last: Attempt, attempts: int) -> Result:
    """The result of a case after that many attempts, the last of which is given."""
    outcome, reason = _judged(case, last)
    return Result(
        key=case.key,
        architecture=case.architecture,
        transformers=case.transformers,
        tensor_parallel=case.tensor_parallel,
        command=("retire-model", *case.arguments),
        outcome=outcome,
        reason=reason,
        attempts=attempts,
        seconds=round(last.seconds, 1),
        machine=last.machine,
        ended=datetime.now(UTC).isoformat(timespec="seconds"),
        report=last.ending.report if isinstance(last.ending, Reported) else None,
    )


def needs_another(case: Case, last: Attempt) -> bool:
    """Whether the attempt says nothing, and another one may."""
    if isinstance(last.ending, NoReport):
        return last.ending.again
    return _judged(case, last)[0] is Word.NOT_RUN


def _judged(case: Case, last: Attempt) -> tuple[Word, str]:
    if isinstance(last.ending, NoReport):
        return Word.NOT_RUN, last.ending.reason
    report = last.ending.report
    found = report["versions"].get("Transformers")
    if found != case.transformers:
        return Word.NOT_RUN, f"the engine's Python on {last.machine} has Transformers {found}"
    return judged_checks(report["checks"])


def judged_checks(checks: Sequence[dict[str, Any]]) -> tuple[Word, str]:
    """The outcome of all checks together, with the same precedence as the smoke run's exit status."""
    words = Counter(check["outcome"] for check in checks)
    for word in (Word.FAILED, Word.NOT_RUN):
        if words[word]:
            return word, "; ".join(f"{c['name']}: {c['said']}" for c in checks if c["outcome"] == word)
    if words[Word.PASSED]:
        return Word.PASSED, ""
    return Word.INCONCLUSIVE, checks[0]["said"] if checks else "nothing was checked"


def exit_status(results: Iterable[Result]) -> int:
    """As the smoke run has it: 1 where a case failed, 2 where nothing can be told of one, else 0."""
    words = {result.outcome for result in results}
    if Word.FAILED in words:
        return 1
    return 0 if words == {Word.PASSED} else 2


def as_dictionary(result: Result) -> dict[str, Any]:
    """For JSON: a case of `docs/prove.schema.json`."""
    return {name: getattr(result, name) for name in Result.__slots__}


def from_dictionary(given: Any) -> Result:
    """A result that was written down. Raises `ValueError`, `KeyError` or `TypeError` where it is none."""
    result = Result(**{**given, "outcome": Word(given["outcome"]), "command": tuple(given["command"])})
    if not isinstance(result.key, str):
        raise TypeError(result.key)
    return result
