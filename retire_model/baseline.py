"""The file of old faults that `retire-model lint --baseline` knows and does not report again.

A fault is known by its check, file and message, which hold no line: edits elsewhere in a file do not bring it back.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem, WrongUse
from analyzer.source.regular_files import read_regular_file
from retire_model.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rules.lint.check import Fault

BASELINE_VERSION = 1
Known = Counter[tuple[str, str, str]]


def write_baseline(file: Path, faults: Iterable[Fault]) -> None:
    """Write `faults` to `file`, in place of an earlier baseline.

    Raises `WrongUse` where something else is there, `EnvironmentProblem` where it cannot be written.
    """
    refuse_to_replace(file)
    rows = [{"check": f.check, "file": f.location.file, "message": f.message} for f in faults]
    text = json.dumps({"version": BASELINE_VERSION, "faults": rows}, indent=2) + "\n"
    try:
        write_whole(file, text)
    except OSError as error:
        raise EnvironmentProblem(f"cannot write {file}: {error.strerror}", "Name another file.") from error


def refuse_to_replace(file: Path) -> None:
    """Raise `WrongUse` where `file` is there and no baseline, of whatever version: it is not replaced."""
    if os.path.lexists(file):
        if file.is_symlink():
            raise WrongUse(f"{file} is a link, and no baseline is put in its place", "Name the file that it leads to.")
        _known(file, "Name another file, or move this one away.")


def read_baseline(file: Path) -> Known:
    """How often each fault is known. Raises `WrongUse` where `file` is no baseline."""
    known = _known(file, "Move it away, and make a baseline with --write-baseline.")
    if known is None:
        raise WrongUse(f"{file} is a baseline of another version", "Make it anew with --write-baseline.")
    return known


def _known(file: Path, remedy: str) -> Known | None:
    """What the baseline knows; None for one of another version."""
    try:
        content = json.loads(read_regular_file(file))
        faults, version = content["faults"], content["version"]
        return Counter(map(_key, faults)) if version == BASELINE_VERSION else None
    except OSError as error:
        raise WrongUse(f"cannot read {file}: {error.strerror}", "Make it with --write-baseline.") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise WrongUse(f"{file} is no baseline", remedy) from error


def _key(row: dict[str, Any]) -> tuple[str, str, str]:
    return str(row["check"]), str(row["file"]), str(row["message"])


def known_faults(faults: Iterable[Fault]) -> Known:
    """How often each of `faults` is known."""
    return Counter((fault.check, fault.location.file, fault.message) for fault in faults)


def unknown_faults(faults: Sequence[Fault], known: Known) -> tuple[Fault, ...]:
    """The faults that the baseline does not know, or not as often."""
    left = Counter(known)
    found = []
    for fault in faults:
        key = (fault.check, fault.location.file, fault.message)
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(fault)
    return tuple(found)
