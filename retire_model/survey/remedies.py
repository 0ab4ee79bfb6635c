"""What would unlock most: the same mend, summed over all models that it stands in the way of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.remedies import mend
from rules.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retire_model.survey.rows import Row


@dataclass(frozen=True, slots=True)
class Unlock:
    """A mend, and the models that wait for it."""

    mend: str
    rules: tuple[str, ...]
    alone: tuple[Row, ...]
    """Models that it unlocks by itself: a keep or an open question that ends, or the last loss of one that can go."""
    with_others: tuple[Row, ...]
    """Models that wait for something else as well."""

    @property
    def lines(self) -> int:
        """The lines of models that cannot be retired now, and could with it."""
        return sum(row.lines_saved for row in self.alone if not row.eligible)

    @property
    def lossless_lines(self) -> int:
        """The lines of models that can be retired with losses now, and without with it."""
        return sum(row.lines_saved for row in self.alone if row.verdict is Verdict.RETIRE_WITH_LOSSES)


def unlocks(rows: Sequence[Row]) -> tuple[Unlock, ...]:
    """Each mend, those first that free most lines."""
    alone: dict[str, list[Row]] = {}
    others: dict[str, list[Row]] = {}
    rules: dict[str, dict[str, None]] = {}
    for row in rows:
        for finding in row.obstacles:
            if (wanted := mend(finding)) is not None:
                rules.setdefault(wanted, {})[finding.rule] = None
        for wanted in row.mends - {None}:
            (alone if row.unlock == wanted else others).setdefault(str(wanted), []).append(row)
    found = (Unlock(m, tuple(rules[m]), tuple(alone.get(m, ())), tuple(others.get(m, ()))) for m in rules)
    return tuple(sorted(found, key=lambda u: (-u.lines, -u.lossless_lines, -len(u.with_others), u.mend)))
