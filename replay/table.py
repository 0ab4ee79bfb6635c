"""What a replay tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replay.reasons import Reason
    from replay.scores import Score

ROW = "{:<8} {:<8} {:<20} {:>6} {:>7} {:>5}"
LONGEST = 160


def table(scores: Iterable[Score]) -> str:
    """A row for each retirement."""
    rows = [ROW.format("before", "kind", "module", "agree", "missed", "own")]
    for score in scores:
        facts = score.retirement
        counts = (score.agree, score.count("missed"), score.count("own"))
        gone = "" if score.same_deletions else "  the module's file differs"
        rows.append(ROW.format(facts.before, facts.kind, facts.module, *counts) + gone)
    return "\n".join(rows)


def details(scores: Iterable[Score], reasons: Sequence[Reason]) -> tuple[int, str]:
    """Each line that differs, with its reason; and how many have none."""
    unexplained, lines = 0, list[str]()
    for score in scores:
        for difference in score.differences:
            known = [reason for reason in reasons if reason.explains(score.retirement, difference)]
            unexplained += not known
            line = difference.line if len(difference.line) <= LONGEST else f"{difference.line[:LONGEST]}…"
            heading = f"{score.retirement.before} {score.retirement.module}: {difference.side} {difference.sign}"
            lines += [f"\n{heading} {difference.file}", f"    {line}"]
            lines.append(f"    reason: {known[0].reason if known else 'NONE'}")
    return unexplained, "\n".join(lines)


def summary(scores: Sequence[Score], unexplained: int) -> str:
    """The totals."""
    agree = sum(score.agree for score in scores)
    missed, own = (sum(score.count(side) for score in scores) for side in ("missed", "own"))
    share = agree / max(1, agree + missed + own)
    return f"\nagree {agree}, missed {missed}, own {own}: {share:.1%} agreement, {unexplained} lines without a reason"
