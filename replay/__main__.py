"""`make replay`: repeats the retirements, scores them, and asks for a reason for each line that differs."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from packaging.version import Version

from replay.reasons import Reason, read_reasons
from replay.retirements import ReplayedSet, read_retirements, replayed_sets
from replay.scores import Score, score
from replay.table import details, summary, table
from retire_model.command import run
from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.releases import ReleaseCache
from retire_model.sources.working_copy import working_copy

REASONS = Path(__file__).parent.parent / "fixtures" / "replay-reasons.toml"


def main() -> int:
    """Replay and report. Exit status 1 for a run that fails, a line without a reason, a reason without a line."""
    parser = argparse.ArgumentParser(prog="python -m replay", description=__doc__)
    parser.add_argument("facts", type=Path, help="the folder with retirements.json and score.py")
    parser.add_argument("--reasons", type=Path, default=REASONS)
    parser.add_argument("--only", action="append", default=[], help="a release before, or a module; repeatable")
    arguments = parser.parse_args()
    retirements = [
        retirement
        for retirement in read_retirements(arguments.facts / "retirements.json")
        if not arguments.only or {retirement.before, retirement.module}.intersection(arguments.only)
    ]
    cache = ReleaseCache(cache_folder())
    failed = False
    with tempfile.TemporaryDirectory(prefix="retire-model-replay-") as folder, ExitStack() as copies:
        trees = {
            before: copies.enter_context(working_copy(cache.engine(Version(before)), Path(folder) / before))
            for before in sorted({retirement.before for retirement in retirements})
        }
        for change_set in replayed_sets(retirements):
            failed |= not _retire(change_set, trees[change_set.before])
        scores = [
            score(
                arguments.facts / "score.py",
                retirement,
                cache.engine(Version(retirement.before)),
                cache.engine(Version(retirement.after)),
                trees[retirement.before],
            )
            for retirement in retirements
        ]
    return _report(scores, read_reasons(arguments.reasons), failed=failed, whole=not arguments.only)


def _retire(change_set: ReplayedSet, tree: Path) -> bool:
    """Run the tool on the tree and say whether it did it: with the lowest Transformers release, else the newest."""
    for release in ("floor", "newest"):
        options = ["--engine", str(tree), "--transformers", release, "--write", *change_set.options]
        with contextlib.redirect_stdout(io.StringIO()):
            status = run([*change_set.architectures, *options])
        if not status:
            return True
        models = " ".join(change_set.architectures)
        print(f"exit status {status} with Transformers {release}: {change_set.before} {models}", file=sys.stderr)
    return False


def _report(scores: list[Score], reasons: list[Reason], *, failed: bool, whole: bool) -> int:
    print(table(scores))
    unexplained, text = details(scores, reasons)
    print(text)
    print(summary(scores, unexplained))
    known = [(score.retirement, difference) for score in scores for difference in score.differences]
    replayed = {(score.retirement.before, score.retirement.module) for score in scores if whole}
    asked = [reason for reason in reasons if (reason.before, reason.module) in replayed]
    stale = [reason for reason in asked if not any(reason.explains(*line) for line in known)]
    for reason in stale:
        print(f"no such line any more: {reason.before} {reason.module}: {reason.contains}")
    return 1 if failed or unexplained or stale or not all(score.same_deletions for score in scores) else 0


if __name__ == "__main__":
    sys.exit(main())
