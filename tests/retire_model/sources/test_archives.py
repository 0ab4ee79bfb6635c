from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem
from retire_model.sources import archives
from tests.retire_model.conftest import source_distribution, tar_gz, wheel

if TYPE_CHECKING:
    from pathlib import Path


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname, found.mode = kind, target, mode
    return found


def unpack_tar(data: bytes, folder: Path) -> Path:
    archive = folder / "vllm-1.tar.gz"
    archive.write_bytes(data)
    archives.unpack_source_distribution(archive, folder / "inner" / "source")
    return folder / "inner" / "source"


def unpack_zip(data: bytes, folder: Path) -> Path:
    archive = folder / "transformers-1-py3-none-any.whl"
    archive.write_bytes(data)
    archives.unpack_wheel(archive, folder / "inner" / "source")
    return folder / "inner" / "source"


def test_files_and_their_modes(tmp_path: Path) -> None:
    root = unpack_tar(
        tar_gz(
            [
                (member("v-1", tarfile.DIRTYPE, mode=0o777), b""),
                (member("v-1/setup.sh", mode=0o6775), b"#!"),
                (member("v-1/empty", tarfile.DIRTYPE), b""),
                (member("v-1/a/ä b.py"), b"x\r\n"),
            ]
        ),
        tmp_path,
    )
    assert stat.S_IMODE((root / "setup.sh").stat().st_mode) & 0o7722 == 0o0700
    assert (root / "a/ä b.py").read_bytes() == b"x\r\n"
    assert (root / "empty").is_dir()


@pytest.mark.parametrize(
    "bad",
    [
        member("v-1/../../out"),
        member("../out"),
        member("/out"),
        member("v-1/a\\..\\..\\out"),
        member("v-1/line\nbreak"),
        member("v-1/link", tarfile.SYMTYPE, "/etc/passwd"),
        member("v-1/link", tarfile.SYMTYPE, "b.py"),
        member("v-1/hard", tarfile.LNKTYPE, "v-1/b.py"),
        member("v-1/pipe", tarfile.FIFOTYPE),
        member("v-1/device", tarfile.CHRTYPE),
        member("v-1/disk", tarfile.BLKTYPE),
        member("w-1/second"),
        member("v-1/b.py"),
        member("v-1/b.py/below"),
        member("v-1"),
        member("v-1/" + "x" * 300),
    ],
    ids=lambda bad: repr(bad.name)[:30] + bad.type.decode(),
)
def test_hostile_source_distribution(bad: tarfile.TarInfo, tmp_path: Path) -> None:
    with pytest.raises((EnvironmentProblem, OSError)) as caught:
        unpack_tar(tar_gz([(member("v-1/b.py"), b"fine"), (bad, b"bad")]), tmp_path)
    if not bad.name.endswith("xxx"):  # the file system says no, and the cache reports it
        assert isinstance(caught.value, EnvironmentProblem)
        assert "vllm-1.tar.gz" in caught.value.problem
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.name for path in written) == ["b.py", "vllm-1.tar.gz"]
    assert (tmp_path / "inner/source/b.py").read_bytes() == b"fine"


@pytest.mark.parametrize("cut", [0, 1, 30, -40, -9, -1])
def test_archive_cut_off(cut: int, tmp_path: Path) -> None:
    whole = source_distribution({f"v-1/{number}.py": f"{number}\n" * 50 for number in range(20)})
    with pytest.raises(EnvironmentProblem):
        unpack_tar(whole[:cut], tmp_path)


def test_not_an_archive(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem):
        unpack_tar(b"<html>Not found</html>", tmp_path)


def test_wheel_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem):
        unpack_zip(b"<html>Not found</html>", tmp_path)


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 10)
    with pytest.raises(EnvironmentProblem, match="more than 10 members"):
        unpack_tar(source_distribution({f"v-1/{number}": "" for number in range(11)}), tmp_path)


def test_too_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LARGEST_CONTENT", 1000)
    with pytest.raises(EnvironmentProblem, match="more than 1000 bytes"):
        unpack_tar(source_distribution({"v-1/a": "x" * 600, "v-1/b": "x" * 600}), tmp_path)


def test_huge_header_is_not_read_into_memory(tmp_path: Path) -> None:
    huge = member("v-1/a")
    huge.pax_headers = {"comment": "x" * (17 * 1024**2)}
    with pytest.raises(EnvironmentProblem, match="too large"):
        unpack_tar(tar_gz([(huge, b"")]), tmp_path)


def test_wheel(tmp_path: Path) -> None:
    root = unpack_zip(wheel({"transformers/__init__.py": "x\n", "transformers/models/": ""}), tmp_path)
    assert (root / "transformers/__init__.py").read_text() == "x\n"
    assert (root / "transformers/models").is_dir()


def hostile_wheel(name: str, mode: int = stat.S_IFREG | 0o644) -> bytes:
    buffer = io.BytesIO(wheel({"b.py": "fine"}))
    with zipfile.ZipFile(buffer, "a") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        archive.writestr(info, "bad")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("../out", stat.S_IFREG),
        ("/out", stat.S_IFREG),
        ("a\\..\\out", stat.S_IFREG),
        ("a\x1b[31m", stat.S_IFREG),
        ("link", stat.S_IFLNK),
        ("pipe", stat.S_IFIFO),
        ("b.py/below", stat.S_IFREG),
    ],
)
def test_hostile_wheel(name: str, mode: int, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem):
        unpack_zip(hostile_wheel(name, mode | 0o644), tmp_path)
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(path.name for path in written) == ["b.py", "transformers-1-py3-none-any.whl"]


def test_wheel_that_says_a_name_twice(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = hostile_wheel("b.py")
    with pytest.raises(EnvironmentProblem, match="twice"):
        unpack_zip(data, tmp_path)


def test_wheel_with_wrong_content(tmp_path: Path) -> None:
    data = wheel({"b.py": "fine" * 200})
    position = data.index(b"b.py") + 8
    with pytest.raises(EnvironmentProblem, match="damaged"):
        unpack_zip(data[:position] + bytes([data[position] ^ 0xFF]) + data[position + 1 :], tmp_path)


def test_damaged_header_does_not_end_the_archive_in_silence(tmp_path: Path) -> None:
    plain = bytearray(gzip.decompress(source_distribution({f"v-1/{number}.py": "x" for number in range(5)})))
    plain[2 * 1024 + 148 : 2 * 1024 + 156] = b"99999999"  # the checksum of the third header
    with pytest.raises(EnvironmentProblem, match="damaged"):
        unpack_tar(gzip.compress(plain), tmp_path)


def test_stream_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_LARGEST_STREAM", 100_000)
    whole = gzip.decompress(source_distribution({"v-1/a": "x"}))
    with pytest.raises(EnvironmentProblem, match="too much"):
        unpack_tar(gzip.compress(whole + bytes(10_000_000)), tmp_path)
