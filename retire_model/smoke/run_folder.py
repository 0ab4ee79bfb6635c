"""The folder of one smoke run: gone at its end, and cleared away by the next run where it was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem
from retire_model.smoke.inside.process_group import end_all_in
from retire_model.sources.cache_layout import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX, LOCK = "retire-model-smoke-", "lock"
TEMPORARY = "t"
"""The folder in it that all processes of the run stand in, and put their sockets in."""
KEPT = 20
"""Folders of logs that are kept."""


@contextmanager
def run_folder() -> Iterator[Path]:
    """A folder with a short name (sockets lie in it), locked for as long as this process lives.

    Raises `EnvironmentProblem` where none can be made.
    """
    base = Path(os.environ.get("TMPDIR", "TMPDIR"))
    try:
        base = Path(tempfile.gettempdir())
        clear_abandoned(base)
        folder, lock = _locked_folder(base)
    except OSError as error:
        raise EnvironmentProblem(f"cannot work in {base}: {error}", "Make room there, or set TMPDIR.") from error
    try:
        yield folder
    finally:
        end_all_in(folder / TEMPORARY)
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _locked_folder(base: Path) -> tuple[Path, int]:
    """A new folder and its lock. Before it is locked, another run may take it for one that was left."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / LOCK).exists():
            return folder, lock
        os.close(lock)


def clear_abandoned(base: Path) -> None:
    """Remove what this user's runs left that were killed: nobody holds their lock."""
    for folder in base.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                end_all_in(folder / TEMPORARY)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def logs_folder(name: str, chosen: Path | None) -> Path:
    """A folder for the logs of a run, which stay: `chosen`, else a new one in the cache, where the oldest make room.

    Raises `EnvironmentProblem`.
    """
    if chosen is not None:
        try:
            chosen.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EnvironmentProblem(f"cannot keep logs in {chosen}: {error}", "Name another folder.") from error
        return chosen.resolve()
    base = cache_folder() / "smoke"
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    try:
        base.mkdir(parents=True, exist_ok=True)
        for old in sorted(entry for entry in base.iterdir() if entry.is_dir())[: -KEPT + 1]:
            shutil.rmtree(old, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{stamp}-{name}-", dir=base))
    except OSError as error:
        raise EnvironmentProblem(f"cannot keep logs in {base}: {error}", "Set RETIRE_MODEL_CACHE.") from error
    return folder
