"""`retire-model survey` judges all models in the time that a structural search takes to find one pattern."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measurement import Command
from benchmarks.row import Row
from benchmarks.setting import program

if TYPE_CHECKING:
    from benchmarks.setting import Setting

PATTERN = "class $NAME(nn.Module): $$$"


def first(setting: Setting) -> Row:
    """With nothing kept: the tree is new, or changed. Its seconds are those of the cores, which differ too much."""
    # What earlier surveys found is out of reach: in each run the cache has nothing but the releases.
    forget = 'rm -rf "$1" && mkdir "$1" && ln -s "$2/releases" "$2/versions" "$1" && shift 2 && exec "$@"'
    folder = Path(tempfile.gettempdir()) / "retire-model-benchmark-cache"
    command = ("env", f"RETIRE_MODEL_CACHE={folder}", "sh", "-c", forget, "sh", str(folder), str(setting.cache))
    return _row(setting, "nothing kept", command, None)


def again(setting: Setting) -> Row:
    """With what the run before has kept."""
    return _row(setting, "as before", (), 3.0)


def _row(setting: Setting, what: str, before: tuple[str, ...], most_seconds: float | None) -> Row:
    engine = setting.engine("0.33.0")
    ast_grep = program("ast-grep")
    options = ("survey", "--engine", engine, "--transformers", "5.19.0")
    return Row(
        what=f"retire-model survey, vLLM 0.33.0, {what}",
        subject=Command((*before, setting.tool, *options)),
        against=f"ast-grep run -p '{PATTERN}'" if ast_grep else "ast-grep: not measured, it is not installed",
        reference=Command((ast_grep, "run", "-l", "python", "-p", PATTERN, engine)) if ast_grep else None,
        most_seconds=most_seconds,
        most_ratio=1.0,
        most_bytes=250_000_000,
    )
