"""The user's secret that the journals of edited trees are marked with. No tree may hold it, or it could forge them."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from pathlib import Path

from analyzer.errors import EnvironmentProblem
from analyzer.source.regular_files import read_regular_file
from codemods.writing.disk import Disk
from retire_model.locks import exclusive_lock
from retire_model.sources.cache_layout import CacheLayout, cache_folder

LENGTH = 32
REMEDY = "Set RETIRE_MODEL_CACHE to a folder of your own that can be written and lies outside the tree."


def journal_key(root: Path) -> bytes:
    """The key for the tree `root`, made where missing. Raises `EnvironmentProblem`, also where it lies in `root`."""
    place = _place(root)
    try:
        if not os.path.lexists(place):
            with exclusive_lock(place.with_suffix(".lock")):
                if not os.path.lexists(place):
                    _make(place)
        return _read(place)
    except OSError as error:
        raise EnvironmentProblem(f"cannot keep a key for journals at {place}: {error.strerror}", REMEDY) from error


def known_journal_key(root: Path) -> bytes | None:
    """The key for the tree `root`; None where there is none that can be trusted."""
    try:
        return _read(_place(root))
    except (OSError, EnvironmentProblem):
        return None


def _place(root: Path) -> Path:
    folder = Path(os.path.realpath(cache_folder()))
    if folder.is_relative_to(os.path.realpath(root)):
        raise EnvironmentProblem(f"the cache {folder} lies in the tree that is to be edited", REMEDY)
    return CacheLayout(folder).journal_key


def _make(place: Path) -> None:
    disk = Disk()
    descriptor, beside = tempfile.mkstemp(dir=place.parent)  # with mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(LENGTH))
            file.flush()
            os.fsync(file.fileno())
        disk.replace(Path(beside), place)
    except BaseException:
        disk.remove(Path(beside))
        raise
    disk.sync_folder(place.parent)


def _read(place: Path) -> bytes:
    found = place.lstat()
    mine = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
    if not mine or found.st_size != LENGTH:
        raise EnvironmentProblem(f"{place} is not a key that you alone can read", "Remove it: a new one is made.")
    return read_regular_file(place)
