"""The copy of a released engine tree that a run may edit."""

from __future__ import annotations

import glob
import os
import shutil
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, Refused, WrongUse
from codemods.writing.disk import Disk
from codemods.writing.tree_lock import locked
from retire_model.sources.tree_digest import tree_digest
from retire_model.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REMEDY = "Move it away, or choose another place with --copy-to."


def marker_of(target: Path) -> Path:
    """Stands beside every copy, so that nothing but the release is in it. A folder without one is not ours."""
    return target.with_name(f".{target.name}.retire-model-copy")


@contextmanager
def working_copy(tree: Path, target: Path) -> Iterator[Path]:
    """Copy `tree` to `target`, in place of an earlier copy that nobody changed since, and keep other runs off it.

    Gives `target` once it is all there. Raises `WrongUse` for a target without a name, `Refused` for one that is not an
    earlier copy, was changed, is a git work tree, lies in `tree` or around it, or that another run is at work on,
    `EnvironmentProblem` where it cannot be written.
    """
    target = Path(os.path.abspath(target))  # noqa: PTH100 - resolve() would follow a link at the target
    if not target.name:
        raise WrongUse(f"no working copy can be made at {target}", "Choose another place with --copy-to.")
    with ExitStack() as until_done:
        try:
            _refuse_place(tree, target)
            target.parent.mkdir(parents=True, exist_ok=True)
            until_done.enter_context(locked(target.with_name(f".{target.name}.retire-model-lock"), Disk()))
            _mend_cut_off_copy(target)
            _refuse_what_is_not_ours(target, target)
            _copy(tree, target)
        except OSError as error:
            raise EnvironmentProblem(
                f"cannot make the working copy {target}: {error.strerror or error}",
                "Choose another place with --copy-to.",
            ) from error
        yield target


def is_as_left(folder: Path) -> bool:
    """Whether `folder` is a copy that nobody changed since a run of this tool left it."""
    target = folder.resolve()
    return marker_of(target).is_file() and marker_of(target).read_bytes() == _mark(target).encode()


def mark(target: Path, tree: Path, instead: Mapping[str, bytes | None]) -> None:
    """Note what this tool made of the copy `target` of `tree`: the files of `instead` anew, or gone where None.

    It is the originals that are looked at: what somebody else wrote to the copy meanwhile is not ours.

    Raises `EnvironmentProblem`.
    """
    try:
        write_whole(marker_of(target), _mark(tree, instead))
    except OSError as error:
        raise EnvironmentProblem(
            f"all changes are written to {target}, but not what it holds now: {error.strerror or error}",
            "Nothing is amiss in it; a later run will not replace it.",
        ) from error


def _mend_cut_off_copy(target: Path) -> None:
    """Clear away what a killed run left beside `target`, or put it back where it is what stood there.

    The lock is held, so that no other run is at it. Raises `Refused` for what may hold somebody's work.
    """
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.partial"):
        shutil.rmtree(left)
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.earlier"):
        if not os.path.lexists(target):
            left.rename(target)
        elif is_as_left(target):
            shutil.rmtree(left)
        else:
            raise Refused(f"{left} is what stood at {target} before a run that was cut off", "Keep one of the two.")


def _copy(tree: Path, target: Path) -> None:
    beside = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        shutil.copytree(tree, beside / "copy", symlinks=True)
        _put_in_place(beside / "copy", target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _put_in_place(copy: Path, target: Path) -> None:
    """Rename `copy` to `target`. Copying took a while: what is there is looked at again where nobody finds it."""
    mark_of_copy = _mark(copy)
    earlier = target.with_name(f".{target.name}.{os.getpid()}.earlier")
    try:
        if target.exists():
            target.rename(earlier)
            _refuse_what_is_not_ours(earlier, target)
        write_whole(marker_of(target), mark_of_copy)
        copy.rename(target)
    except BaseException as error:
        if earlier.exists():
            try:
                earlier.rename(target)
            except OSError:
                raise EnvironmentProblem(
                    f"{target} was made anew by somebody else; what was there before is in {earlier}",
                    "Keep one of the two.",
                ) from error
        raise
    shutil.rmtree(earlier, ignore_errors=True)


def _refuse_place(tree: Path, target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise Refused(f"{target} is not a folder, and no working copy is put in its place", REMEDY)
    real_tree, real_target = tree.resolve(), target.resolve()
    if real_target.is_relative_to(real_tree) or real_tree.is_relative_to(real_target):
        raise Refused(f"{target} and {tree}, which is to be copied, lie within one another", REMEDY)


def _refuse_what_is_not_ours(folder: Path, target: Path) -> None:
    """Raise `Refused` unless `folder`, which is or was at `target`, holds but an earlier copy as it was left."""
    if (folder / ".git").exists():
        raise Refused(f"{target} is a git work tree, and what it holds would be lost", REMEDY)
    if folder.is_dir() and any(folder.iterdir()):
        if not marker_of(target).is_file():
            raise Refused(f"{target} exists and is not a working copy that retire-model made", REMEDY)
        if marker_of(target).read_bytes() != _mark(folder).encode():
            raise Refused(
                f"{target} was changed since retire-model made it, and the changes would be lost",
                f"Go on with it (--engine {target}), delete it, or choose another place with --copy-to.",
            )


def _mark(folder: Path, instead: Mapping[str, bytes | None] | None = None) -> str:
    held = tree_digest(folder, instead)
    return f"retire-model made the folder beside this and may replace it while it holds this: {held}\n"
