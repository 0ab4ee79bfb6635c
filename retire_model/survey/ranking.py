"""Which rows are shown, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retire_model.survey.rows import Row

_VERDICTS = (Verdict.RETIRE, Verdict.RETIRE_WITH_LOSSES, Verdict.UNPROVEN, Verdict.KEEP)
_STAGE = {Verdict.RETIRE: 0, Verdict.RETIRE_WITH_LOSSES: 0, Verdict.UNPROVEN: 1, Verdict.KEEP: 2}
KEYS: dict[str, Callable[[Row], object]] = {
    "rank": lambda row: (_STAGE[row.verdict], -row.score),
    "lines": lambda row: -row.lines_saved,
    "module": lambda row: row.module,
    "verdict": lambda row: _VERDICTS.index(row.verdict),
    "losses": lambda row: (_STAGE[row.verdict], len(row.lost)),
    "dependents": lambda row: len(row.around.dependents) + len(row.around.builders),
    "age": lambda row: (row.around.since is None, row.around.since or ""),
}
"""What `--sort` knows; `rank` is by lines saved for each capability lost, what can go first."""
CHOICES: dict[str, Callable[[Row], bool]] = {
    "eligible": lambda row: row.eligible,
    "lossless": lambda row: row.verdict is Verdict.RETIRE,
    "with-losses": lambda row: row.verdict is Verdict.RETIRE_WITH_LOSSES,
    "unproven": lambda row: row.verdict is Verdict.UNPROVEN,
    "keep": lambda row: row.verdict is Verdict.KEEP,
}
"""What `--only` knows."""


def ranked(rows: Sequence[Row], key: str, only: str | None) -> tuple[Row, ...]:
    """The chosen rows in order; by name where `key` makes no difference."""
    chosen = [row for row in rows if only is None or CHOICES[only](row)]
    order = KEYS[key]
    return tuple(sorted(sorted(chosen, key=lambda row: row.module), key=order))  # type: ignore[arg-type]
