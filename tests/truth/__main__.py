"""`make truth`: the comparison as a table.

Exit status 1 where a verdict and the engine disagree and no reason is kept, or where a tenth of a file is unproven.
"""

from __future__ import annotations

import sys
from pathlib import Path

from packaging.version import Version

from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.releases import ReleaseCache
from tests.truth.comparison import compare, known_reasons

WORDS = {True: "eligible", False: "refused", None: "unproven"}


def main(files: list[str]) -> int:
    """Compare each file of `files`; print every row, the kept reason of those known to disagree, and the counts."""
    known = known_reasons()
    cache = ReleaseCache(cache_folder())
    engine, release = cache.engine(Version("0.32.0")), cache.transformers(Version("5.19.0"))
    status = 0
    for file in files:
        rows = list(compare(Path(file), engine, release))
        for row in rows:
            reason = known.get((row.architecture, row.measured)) if row.wrong else None
            mark = "known" if reason else "WRONG" if row.wrong else "?" if row.verdict is None else "ok"
            real = "runs" if row.runs else f"fails{' (this CPU build)' if row.cpu_only else ''}: {row.error}"
            print(f"{mark:5} {row.architecture:36} {row.measured:18} {WORDS[row.verdict]:9} {real[:100]}")
            for line in (reason,) if reason else row.reasons if row.wrong else ():
                print(f"        {line}")
        failed = sum(r.called_eligible_and_failed for r in rows)
        refused = sum(r.refused_and_ran for r in rows)
        new = sum(r.wrong and (r.architecture, r.measured) not in known for r in rows)
        unproven = sum(r.verdict is None for r in rows)
        print(
            f"{file}: {len(rows)} compared, {failed} called eligible and failed, {refused} refused and ran, "
            f"{unproven} unproven; {failed + refused - new} of the disagreements known, {new} new"
        )
        if new or unproven * 10 > len(rows):
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
