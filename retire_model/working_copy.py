"""The copy of a released engine tree that a run may edit."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from analyzer.errors import EnvironmentProblem, Refused


def marker_of(target: Path) -> Path:
    """Stands beside every copy, so that nothing but the release is in it. A folder without one is not ours."""
    return target.with_name(f".{target.name}.retire-model-copy")


def working_copy(tree: Path, target: Path) -> Path:
    """Copy `tree` to `target`, in place of an earlier copy; `target`, once all of it is there.

    Raises `Refused` for a target that is not an earlier copy, is a git work tree, or lies in `tree` or
    around it, `EnvironmentProblem` where it cannot be written.
    """
    target = Path(os.path.abspath(target))  # noqa: PTH100 - resolve() would follow a link at the target
    _refuse_what_is_not_ours(tree, target)
    beside = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(tree, beside / "copy", symlinks=True)
        if target.exists():
            target.rename(beside / "earlier")
        (beside / "copy").rename(target)
        marker_of(target).write_text(_mark(target), "utf-8")
    except OSError as error:
        raise EnvironmentProblem(
            f"cannot make the working copy {target}: {error.strerror or error}",
            "Choose another place with --copy-to.",
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return target


def _refuse_what_is_not_ours(tree: Path, target: Path) -> None:
    remedy = "Move it away, or choose another place with --copy-to."
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise Refused(f"{target} is not a folder, and no working copy is put in its place", remedy)
    if target.is_dir() and any(target.iterdir()) and not _is_ours(target):
        raise Refused(f"{target} exists and is not a working copy that retire-model made", remedy)
    if (target / ".git").exists():
        raise Refused(f"{target} is a git work tree, and what it holds would be lost", remedy)
    real_tree, real_target = tree.resolve(), target.resolve()
    if real_target.is_relative_to(real_tree) or real_tree.is_relative_to(real_target):
        raise Refused(f"{target} and {tree}, which is to be copied, lie within one another", remedy)


def _is_ours(target: Path) -> bool:
    """Whether the marker speaks of this very folder, and not of one that stood here before."""
    try:
        return marker_of(target).read_text("utf-8") == _mark(target)
    except OSError:
        return False


def _mark(target: Path) -> str:
    status = target.stat()
    return f"retire-model made the folder beside this and may replace it: {status.st_dev}:{status.st_ino}\n"
