"""Measures all rows and prints them; exit status 1 where a bound is missed by half again.

With `--ratios` only what is compared with something counts: that holds on a slow machine as well.
"""

from __future__ import annotations

import argparse
import os
import sys

from analyzer.errors import RetireModelError
from benchmarks.measurement import Command, FailedRunError, measure
from benchmarks.row import SLACK, Result, Row
from benchmarks.rows import ROWS
from benchmarks.setting import Setting
from benchmarks.table import render


def main() -> int:
    """Run the benchmarks; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--reference-python", default=sys.executable, help="a Python that has transformers and torch")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--ratios", action="store_true", help="only the rows and bounds that compare with something")
    files = {make_row.__module__.rpartition(".")[2] for make_row in ROWS}
    parser.add_argument(
        "--only",
        choices=sorted(files),
        action="append",
        help="only the rows of this file of benchmarks/rows",
    )
    options = parser.parse_args()
    _take_two_cores()
    setting = Setting(options.reference_python)
    try:
        chosen = [make for make in ROWS if make.__module__.rpartition(".")[2] in (options.only or files)]
        rows = [row for make_row in chosen if (row := make_row(setting)).reference is not None or not options.ratios]
        results = [_measured(row, options.repetitions) for row in rows]
    except FailedRunError as failure:
        print(failure, file=sys.stderr)
        return 1
    except RetireModelError as error:
        print(f"{error.problem}\n{error.remedy}", file=sys.stderr)
        return error.exit_status
    print(render(results, options.repetitions))
    found = [result.excess_of_ratio if options.ratios else result.excess for result in results]
    return int(any(excess > SLACK for excess in found) or not found)


def _take_two_cores() -> None:
    """Leave this process and those it starts two cores: what it compares with uses all there are."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])


def _measured(row: Row, repetitions: int) -> Result:
    commands: dict[str, Command] = {"subject": row.subject}
    if row.reference is not None:
        commands["reference"] = row.reference
    found = measure(commands, repetitions)
    return Result(row, found["subject"], found.get("reference"))


if __name__ == "__main__":
    sys.exit(main())
