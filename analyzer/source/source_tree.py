"""Reads files below one root, each once, and parses Python without ever executing it."""

from __future__ import annotations

import ast
import os
import stat
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

from analyzer.errors import UnreadableSource
from analyzer.source.regular_files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator
    from pathlib import Path

Fact = TypeVar("Fact")


class SourceTree:
    """The files below `root`. Paths are relative, with forward slashes, and may not lead out of the root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.real_root = os.path.realpath(root)
        """Where `root` is, without links and `..`: for messages."""
        self._real_folders: dict[str, str] = {}
        self._bytes: dict[str, bytes] = {}
        self._modules: dict[str, ast.Module] = {}
        self._exists: dict[str, bool] = {}
        self._facts: dict[tuple[str, object], Any] = {}
        self._given_back: set[str] = set()
        self._in_demand: set[str] = set()
        self.parsed_bytes = 0
        """How much source the syntax trees stand for that would be given back: each byte of it costs some thirty."""

    def locate(self, file: str) -> Path:
        """The path of `file` on disk.

        Raises `UnreadableSource` for an absolute path, a `..`, or a link that leads out of the root.
        """
        if file.startswith("/") or ".." in file.split("/") or "\0" in file:
            raise UnreadableSource(
                f"{file!r} leads out of {self.real_root}", "Paths stay below the root of their tree."
            )
        folder, _, name = file.rpartition("/")
        path = self.root / file
        # Unlike `Path.is_symlink` this takes a name that is too long for one that is not there.
        linked = os.path.islink(path)  # noqa: PTH114
        real = os.path.realpath(path) if linked else f"{self._real(folder)}{os.sep}{name}"
        if real != self.real_root and not real.startswith(self.real_root.rstrip(os.sep) + os.sep):
            raise UnreadableSource(
                f"{file} leads out of {self.real_root} by a link", "Replace the link by what it points at."
            )
        return path

    def _real(self, folder: str) -> str:
        known = self._real_folders.get(folder)
        if known is None:
            known = self._real_folders[folder] = os.path.realpath(self.root / folder)
        return known

    def exists(self, file: str) -> bool:
        """Whether `file` is a regular file below the root."""
        known = self._exists.get(file)
        if known is None:
            try:
                known = file in self._bytes or self.locate(file).is_file()
            except (UnreadableSource, OSError):
                known = False
            self._exists[file] = known
        return known

    def read(self, file: str) -> bytes:
        """The bytes of `file`. Raises `UnreadableSource` where it is no regular file or too large to be a source."""
        known = self._bytes.get(file)
        if known is not None:
            return known
        data = self._bytes[file] = self.read_once(file)
        return data

    def read_once(self, file: str) -> bytes:
        """As `read`, for bytes that are not needed again: they are not kept."""
        try:
            return read_regular_file(self.locate(file))
        except OSError as error:
            problem = f"cannot read {file}: {error.strerror}"
            raise UnreadableSource(problem, f"Looked below {self.real_root}.") from error

    def text(self, file: str) -> str:
        """The text of `file` without a byte order mark, line ends as they stand. Raises `UnreadableSource`."""
        try:
            return self.read(file).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            problem = f"{file} is not UTF-8: {error.reason} at byte {error.start}"
            raise UnreadableSource(problem, "Save the file as UTF-8 first.") from error

    def parse(self, file: str) -> ast.Module:
        """The syntax tree of a Python file. Raises `UnreadableSource` with the line that does not parse."""
        known = self._modules.get(file)
        if known is None:
            data = self.read(file)
            known = self._modules[file] = parse_python(data, file)
            if file in self._given_back:
                self._in_demand.add(file)
            else:
                self.parsed_bytes += len(data)
        return known

    def fact(self, file: str, what: Hashable, read: Callable[[bytes], Fact]) -> Fact:
        """What `read` finds in the bytes of `file`, found once for each `what`. Raises `UnreadableSource`."""
        key = (file, what)
        if key not in self._facts:
            self._facts[key] = read(self.read(file))
        found: Fact = self._facts[key]
        return found

    def forget_syntax(self) -> frozenset[str]:
        """Give syntax trees back, and say of which files they are kept: those that were asked for once more before.

        Whoever still has one keeps it, and the next who asks for its file gets another.
        """
        self._given_back.update(self._modules)
        self._modules = {file: self._modules[file] for file in self._in_demand}
        self.parsed_bytes = 0
        return frozenset(self._in_demand)

    def walk(self, below: str, suffixes: frozenset[str]) -> Iterator[str]:
        """The regular files below the folder `below` with one of `suffixes`, sorted, links not followed."""
        start = self.locate(below)
        for folder, folders, files in os.walk(start):
            folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
            for name in sorted(files):
                path = os.path.join(folder, name)  # noqa: PTH118 - a walk of 5,600 files, twice as fast
                if os.path.splitext(name)[1] in suffixes and _is_regular(path):  # noqa: PTH122
                    yield os.path.relpath(path, self.root).replace(os.sep, "/")


LARGEST_PYTHON = 2 * 1024 * 1024
"""Bytes. A syntax tree takes five hundred times its source at worst; the largest file of vLLM 0.33.0 is below 1 MiB."""
SKIPPED_FOLDERS = frozenset(
    {".git", "__pycache__", "node_modules", "build", "dist", ".venv", "site-packages", "vllm.egg-info"}
)
"""What no tree has of its own; an environment below the root may hold another release of the engine."""


def _is_regular(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:  # gone since its folder was listed
        return False


def parse_python(data: bytes | str, file: str) -> ast.Module:
    """Parse `data` as Python. Raises `UnreadableSource` naming `file` and the line at fault."""
    if len(data) > LARGEST_PYTHON:
        raise UnreadableSource(
            f"{file} is larger than {LARGEST_PYTHON} bytes, and is not parsed", "No Python source of an engine is."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return ast.parse(data, filename=file)
    except SyntaxError as error:
        line = f":{error.lineno}" if error.lineno else ""
        raise UnreadableSource(
            f"{file}{line} is not valid Python: {error.msg}", "Mend the file first.", error.lineno
        ) from error
    except (RecursionError, MemoryError) as error:
        raise UnreadableSource(f"{file} is nested too deeply to be read", "No real modeling file is.") from error
    except ValueError as error:
        raise UnreadableSource(f"{file} is not valid Python: {error}", "Mend the file first.") from error
