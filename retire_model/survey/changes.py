"""What changed since an earlier survey, which was kept in a file."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analyzer.errors import EnvironmentProblem, WrongUse
from analyzer.source.regular_files import read_regular_file
from retire_model.whole_files import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from retire_model.survey.survey import Survey

BASELINE_VERSION = 1
Baseline = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Changes:
    """Modules, by what became of them since."""

    engine: str | None
    """The version of the earlier survey's tree."""
    transformers: tuple[str, ...]
    eligible: tuple[str, ...]
    """They can be retired now, and could not."""
    no_longer: tuple[str, ...]
    """They could, and cannot now."""
    fewer_losses: tuple[str, ...]
    """They could and can, and lose less."""
    more_losses: tuple[str, ...]
    new: tuple[str, ...]
    """The earlier tree did not have them."""
    gone: tuple[str, ...]


def baseline_of(found: Survey) -> Baseline:
    """What is kept of a survey."""
    return {
        "version": BASELINE_VERSION,
        "engine": str(found.engine.version) if found.engine.version else None,
        "transformers": list(found.releases),
        "models": {row.module: {"eligible": row.eligible, "lost": [c.value for c in row.lost]} for row in found.rows},
    }


def write_baseline(file: Path, baseline: Baseline) -> None:
    """Write `baseline` to `file`. Raises `EnvironmentProblem` where that cannot be done."""
    write_text(file, json.dumps(baseline, indent=2) + "\n")


def write_text(file: Path, text: str) -> None:
    """Write a file that the user named. Raises `EnvironmentProblem` where that cannot be done."""
    try:
        write_whole(file, text)
    except OSError as error:
        raise EnvironmentProblem(f"cannot write {file}: {error.strerror}", "Name another file.") from error


def refuse_to_replace(file: Path) -> None:
    """Raise `WrongUse` where `file` is there and no survey that was kept: it is not replaced."""
    if os.path.lexists(file):
        _read(file, "Name another file, or move this one away.")


def read_baseline(file: Path) -> Baseline:
    """The survey kept in `file`. Raises `WrongUse` where that is none."""
    return _read(file, "Make it with `survey --baseline FILE`.")


def _read(file: Path, remedy: str) -> Baseline:
    try:
        content: Baseline = json.loads(read_regular_file(file))
        usable = content["version"] == BASELINE_VERSION and all(
            isinstance(model["eligible"], bool) and isinstance(model["lost"], list)
            for model in content["models"].values()
        )
    except OSError as error:
        raise WrongUse(f"cannot read {file}: {error.strerror}", remedy) from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise WrongUse(f"{file} is no survey that was kept", remedy) from error
    if not usable:
        raise WrongUse(f"{file} was kept by another version", remedy)
    return content


def changes(before: Baseline, now: Baseline) -> Changes:
    """Compare two surveys."""
    old, new = before["models"], now["models"]
    both = sorted(old.keys() & new.keys())
    could = {module for module in both if old[module]["eligible"]}
    can = {module for module in both if new[module]["eligible"]}
    less = {m: len(new[m]["lost"]) - len(old[m]["lost"]) for m in could & can}
    return Changes(
        before.get("engine"),
        tuple(before.get("transformers", ())),
        eligible=tuple(m for m in both if m in can - could),
        no_longer=tuple(m for m in both if m in could - can),
        fewer_losses=tuple(m for m in both if less.get(m, 0) < 0),
        more_losses=tuple(m for m in both if less.get(m, 0) > 0),
        new=tuple(sorted(new.keys() - old.keys())),
        gone=tuple(sorted(old.keys() - new.keys())),
    )
