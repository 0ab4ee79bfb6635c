"""Runs git, which reads alone: the index is left as it is, and no program runs that the tree itself names."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem

if TYPE_CHECKING:
    from pathlib import Path

# No lock on the index, no patterns in paths, and no program that the tree's own configuration names.
GIT = (
    "git",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
)
CALLERS = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE"})
"""Set where git itself runs the command, as in a hook, and about another repository perhaps."""
NOTHING = "RETIRE_MODEL_NOTHING"


def git(root: Path, *arguments: str, without: tuple[str, ...] = ()) -> str | None:
    """What git prints, the settings `without` being empty; None outside any repository.

    Raises `EnvironmentProblem` where git fails or there is none.
    """
    environment = {name: value for name, value in os.environ.items() if name not in CALLERS}
    emptied = (f"--config-env={setting}={NOTHING}" for setting in without)
    try:
        done = subprocess.run(  # noqa: S603 - fixed program and options, paths behind `--`
            (*GIT, *emptied, *arguments),
            cwd=root,
            env=environment | {"LC_ALL": "C", NOTHING: ""},
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        if (root / ".git").exists():
            raise EnvironmentProblem(
                f"{root} is a git work tree, and git is not installed", "Install git: it tells what is not committed."
            ) from error
        return None
    if done.returncode == 0:
        return os.fsdecode(done.stdout)
    message = os.fsdecode(done.stderr).strip()
    if "not a git repository" in message and not (root / ".git").exists():
        return None
    raise EnvironmentProblem(
        f"git cannot tell the state of {root}: {message.splitlines()[0] if message else 'no reason given'}",
        "Make `git status` work there first.",
    )
