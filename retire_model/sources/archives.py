"""Unpacks the archives of releases: regular files and folders alone, below one folder, within bounds.

unearth could unpack a source distribution, too, but leaves the process with a umask of 0 and the files
writable for everyone, and it follows links. What is read here comes from strangers.
"""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from analyzer.errors import EnvironmentProblem

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_MEMBERS = 60_000
LARGEST_CONTENT = 2 * 1024**3
_LARGEST_READ = 16 * 1024**2
_LARGEST_STREAM = LARGEST_CONTENT + MOST_MEMBERS * 4096
_CHUNK = 1024**2


def unpack_source_distribution(archive: Path, target: Path) -> None:
    """Unpack a `.tar.gz` into the new folder `target`, without the one leading folder that it must have.

    Raises `EnvironmentProblem` for anything that is not such an archive, and leaves `target` to be removed.
    """
    writer = _Writer(archive, target)
    try:
        with _BoundedGzip(archive) as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
            for path, member in _below_one_folder(tar, archive):
                if member.isdir():
                    writer.folder(path)
                elif (content := tar.extractfile(member)) is not None:
                    writer.file(path, member.size, content, executable=bool(member.mode & 0o100))
            # tarfile stops in silence where a header is damaged, and before the archive's own checksum.
            while rest := stream.read(_CHUNK):
                if rest.strip(b"\0"):
                    raise refusal(archive, "it is damaged after its last member")
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError, OverflowError) as error:
        raise refusal(archive, f"it is damaged ({error})") from error


def unpack_wheel(archive: Path, target: Path) -> None:
    """Unpack a wheel into the new folder `target`; nothing is installed.

    Raises `EnvironmentProblem` for anything that is not such an archive, and leaves `target` to be removed.
    """
    writer = _Writer(archive, target)
    try:
        with zipfile.ZipFile(archive) as wheel:
            for member in wheel.infolist():
                mode = member.external_attr >> 16
                path = safe_path(member.filename, archive)
                if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise refusal(archive, f"{member.filename!r} is neither a file nor a folder")
                if member.is_dir():
                    writer.folder(path)
                else:
                    with wheel.open(member) as content:
                        writer.file(path, member.file_size, content, executable=bool(mode & 0o100))
    except (zipfile.BadZipFile, EOFError, zlib.error, RuntimeError, ValueError, NotImplementedError) as error:
        raise refusal(archive, f"it is damaged ({error})") from error


def safe_path(name: str, archive: Path) -> PurePosixPath:
    """The relative path that `name` is. Raises `EnvironmentProblem` where it could lead anywhere else."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or not path.parts or not name.isprintable():
        raise refusal(archive, f"the name {name!r} leads out of it")
    return path


def refusal(archive: Path, reason: str) -> EnvironmentProblem:
    """The error for an archive that is not unpacked."""
    return EnvironmentProblem(
        f"{archive.name} is not a release that can be unpacked: {reason}",
        "Nothing of it is kept. Look at where pip's configuration says that packages come from.",
    )


def _below_one_folder(tar: tarfile.TarFile, archive: Path) -> Iterator[tuple[PurePosixPath, tarfile.TarInfo]]:
    leading = None
    for member in tar:
        if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE) or member.issparse():
            raise refusal(archive, f"{member.name!r} is neither a file nor a folder")
        first, *rest = safe_path(member.name, archive).parts
        if leading is None:
            leading = first
        if first != leading or not (rest or member.isdir()):
            raise refusal(archive, f"{member.name!r} is not below its one folder {leading!r}")
        if rest:
            yield PurePosixPath(*rest), member
    if leading is None:
        raise refusal(archive, "it is empty")


class _Writer:
    """Writes members below `target`, counts them, and never writes a file twice."""

    def __init__(self, archive: Path, target: Path) -> None:
        self._archive = archive
        self._target = target
        self._folders: set[PurePosixPath] = set()
        self._members = 0
        self._bytes = 0
        target.mkdir(parents=True)

    def folder(self, path: PurePosixPath) -> None:
        self._count(0)
        self._make(path)

    def file(self, path: PurePosixPath, size: int, content: IO[bytes], *, executable: bool) -> None:
        self._count(size)
        self._make(path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(self._target / path, flags, 0o777 if executable else 0o666)
        except FileExistsError as error:
            raise refusal(self._archive, f"it holds {str(path)!r} twice") from error
        with os.fdopen(descriptor, "wb") as file:
            shutil.copyfileobj(content, file, _CHUNK)
            if file.tell() != size:
                raise refusal(self._archive, f"{str(path)!r} is cut off")

    def _make(self, path: PurePosixPath) -> None:
        if path not in self._folders:
            try:
                (self._target / path).mkdir(parents=True, exist_ok=True)
            except (FileExistsError, NotADirectoryError) as error:
                raise refusal(self._archive, f"{str(path)!r} is both a file and a folder") from error
            self._folders.add(path)

    def _count(self, size: int) -> None:
        self._members += 1
        self._bytes += size
        if self._members > MOST_MEMBERS:
            raise refusal(self._archive, f"it holds more than {MOST_MEMBERS} members")
        if self._bytes > LARGEST_CONTENT:
            raise refusal(self._archive, f"it unpacks to more than {LARGEST_CONTENT} bytes")


class _BoundedGzip(gzip.GzipFile):
    """A decompressed stream in which no header, which `tarfile` reads into memory at once, can be huge."""

    def __init__(self, archive: Path) -> None:
        super().__init__(archive, "rb")
        self._have_read = 0

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _LARGEST_READ:
            raise tarfile.ReadError("a header is too large")
        data = super().read(size)
        self._have_read += len(data)
        if self._have_read > _LARGEST_STREAM:
            raise tarfile.ReadError("it unpacks to too much")
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if offset > _LARGEST_STREAM:
            raise tarfile.ReadError("it unpacks to too much")
        return super().seek(offset, whence)
