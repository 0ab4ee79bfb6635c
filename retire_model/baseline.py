"""The file of old faults that `retire-model lint --baseline` knows and does not report again.

A fault is known by its check, file and message, which hold no line: edits elsewhere in a file do not bring it back.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem, WrongUse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rules.lint.check import Fault

BASELINE_VERSION = 1
Known = Counter[tuple[str, str, str]]


def write_baseline(file: Path, faults: Iterable[Fault]) -> None:
    """Write `faults` to `file`. Raises `EnvironmentProblem` where that cannot be done."""
    rows = [{"check": f.check, "file": f.location.file, "message": f.message} for f in faults]
    text = json.dumps({"version": BASELINE_VERSION, "faults": rows}, indent=2, ensure_ascii=False) + "\n"
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentProblem(f"cannot write {file}: {error.strerror}", "Name another file.") from error


def read_baseline(file: Path) -> Known:
    """How often each fault is known. Raises `WrongUse` where `file` is no baseline."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return Counter(map(_key, content["faults"])) if content["version"] == BASELINE_VERSION else _refuse(file)
    except OSError as error:
        raise WrongUse(f"cannot read {file}: {error.strerror}", "Make it with --write-baseline.") from error
    except (ValueError, TypeError, KeyError) as error:
        raise WrongUse(f"{file} is no baseline", "Make it anew with --write-baseline.") from error


def _refuse(file: Path) -> Known:
    raise WrongUse(f"{file} is a baseline of another version", "Make it anew with --write-baseline.")


def _key(row: dict[str, Any]) -> tuple[str, str, str]:
    return str(row["check"]), str(row["file"]), str(row["message"])


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
