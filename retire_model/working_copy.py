"""The copy of a released engine tree that a run may edit."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from analyzer.errors import EnvironmentProblem, Refused, WrongUse
from retire_model.tree_digest import tree_digest
from retire_model.whole_files import write_whole

REMEDY = "Move it away, or choose another place with --copy-to."


def marker_of(target: Path) -> Path:
    """Stands beside every copy, so that nothing but the release is in it. A folder without one is not ours."""
    return target.with_name(f".{target.name}.retire-model-copy")


def working_copy(tree: Path, target: Path) -> Path:
    """Copy `tree` to `target`, in place of an earlier copy that nobody changed since; `target`, once it is all there.

    Raises `WrongUse` for a target without a name, `Refused` for one that is not an earlier copy, was changed, is a git
    work tree, or lies in `tree` or around it, `EnvironmentProblem` where it cannot be written.
    """
    try:
        target = Path(os.path.abspath(target))  # noqa: PTH100 - resolve() would follow a link at the target
        if not target.name:
            raise WrongUse(f"no working copy can be made at {target}", "Choose another place with --copy-to.")
        _refuse_what_is_not_ours(tree, target)
        _copy(tree, target)
    except OSError as error:
        raise EnvironmentProblem(
            f"cannot make the working copy {target}: {error.strerror or error}",
            "Choose another place with --copy-to.",
        ) from error
    return target


def mark(target: Path) -> None:
    """Note what is in the copy `target` now: all of it is ours. Raises `EnvironmentProblem`."""
    try:
        write_whole(marker_of(target), _mark(target))
    except OSError as error:
        raise EnvironmentProblem(
            f"all changes are written to {target}, but not what it holds now: {error.strerror or error}",
            "Nothing is amiss in it; a later run will not replace it.",
        ) from error


def _copy(tree: Path, target: Path) -> None:
    beside = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(tree, beside / "copy", symlinks=True)
        # First, so that a name that is too long for it is noticed while nothing is there.
        write_whole(marker_of(target), _mark(beside / "copy"))
        if target.exists():
            target.rename(beside / "earlier")
        (beside / "copy").rename(target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _refuse_what_is_not_ours(tree: Path, target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise Refused(f"{target} is not a folder, and no working copy is put in its place", REMEDY)
    if (target / ".git").exists():
        raise Refused(f"{target} is a git work tree, and what it holds would be lost", REMEDY)
    real_tree, real_target = tree.resolve(), target.resolve()
    if real_target.is_relative_to(real_tree) or real_tree.is_relative_to(real_target):
        raise Refused(f"{target} and {tree}, which is to be copied, lie within one another", REMEDY)
    if target.is_dir() and any(target.iterdir()):
        if not marker_of(target).is_file():
            raise Refused(f"{target} exists and is not a working copy that retire-model made", REMEDY)
        if marker_of(target).read_bytes() != _mark(target).encode():
            raise Refused(
                f"{target} was changed since retire-model made it, and the changes would be lost",
                f"Go on with it (--engine {target}), delete it, or choose another place with --copy-to.",
            )


def _mark(target: Path) -> str:
    return f"retire-model made the folder beside this and may replace it while it holds this: {tree_digest(target)}\n"
