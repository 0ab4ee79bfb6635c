from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from analyzer.errors import EnvironmentProblem, WrongUse
from retire_model.sources import release_fetching
from retire_model.sources.known_versions import KEPT_FOR
from retire_model.sources.releases import ReleaseCache

if TYPE_CHECKING:
    from tests.retire_model.conftest import FakeIndex, Server

V24 = Version("0.24.0")


def go_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise AssertionError("the index was asked")

    monkeypatch.setattr(release_fetching, "PackageIndex", fail)


def test_engine_is_unpacked_without_its_leading_folder(index: FakeIndex, cache: ReleaseCache) -> None:
    index.add_engine("0.24.0")
    root = cache.engine(V24)
    assert (root / "vllm/registry.py").read_text() == "VERSION = '0.24.0'\n"
    assert cache.cached_versions("vllm") == [V24]


def test_transformers_is_unpacked_and_not_installed(index: FakeIndex, cache: ReleaseCache) -> None:
    index.add_transformers("5.5.3")
    root = cache.transformers(Version("5.5.3"))
    assert sorted(p.relative_to(root).as_posix() for p in root.rglob("*.py")) == ["transformers/__init__.py"]


def test_nothing_is_writable_for_everyone(index: FakeIndex, cache: ReleaseCache) -> None:
    index.add_engine("0.24.0")
    before = os.umask(0o022)
    try:
        root = cache.engine(V24)
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
    assert not [path for path in (root, *root.rglob("*")) if path.stat().st_mode & 0o022]


def test_second_run_needs_no_index(index: FakeIndex, cache: ReleaseCache, monkeypatch: pytest.MonkeyPatch) -> None:
    index.add_engine("0.24.0")
    index.add_transformers("5.5.3")
    first = cache.engine(V24), cache.lowest("transformers", SpecifierSet(">=5"))
    cache.transformers(first[1])
    go_offline(monkeypatch)
    again = ReleaseCache(cache.folder)
    assert (again.engine(Version("0.24")), again.lowest("transformers", SpecifierSet(">=5.1"))) == first
    assert again.transformers(first[1]).is_dir()


@pytest.mark.usefixtures("index")
def test_nothing_cached_and_no_index(cache: ReleaseCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9")
    with pytest.raises(EnvironmentProblem, match=r"cannot bring vllm==0\.24\.0") as caught:
        cache.engine(V24)
    assert "pip config list" in caught.value.remedy
    with pytest.raises(EnvironmentProblem, match="releases of transformers"):
        cache.lowest("transformers", SpecifierSet(">=5"))


def test_unknown_version_names_the_nearest(index: FakeIndex, cache: ReleaseCache) -> None:
    for version in ("0.20.0", "0.22.0", "0.23.0", "0.25.0", "0.26.0", "0.30.0"):
        index.add_engine(version)
    with pytest.raises(WrongUse, match=r"no vllm==0\.24\.0") as caught:
        cache.engine(V24)
    assert caught.value.remedy == "The nearest releases are 0.22.0, 0.23.0, 0.25.0, 0.26.0."


def test_yanked_release_is_served_by_its_version_alone(index: FakeIndex, cache: ReleaseCache) -> None:
    index.add_transformers("5.5.0", yanked=True)
    index.add_transformers("5.5.3")
    index.add_transformers("5.6.0")
    index.add_transformers("5.7.0rc1")
    index.add_transformers("5.8.0", yanked=True)
    inside = SpecifierSet(">=5.5.0")
    assert cache.lowest("transformers", inside) == Version("5.5.3")
    assert cache.newest("transformers", inside) == Version("5.6.0")
    assert cache.transformers(Version("5.5.0")).is_dir()


def test_no_release_in_the_range(index: FakeIndex, cache: ReleaseCache) -> None:
    index.add_transformers("5.5.3")
    with pytest.raises(WrongUse, match="no transformers release in the range '>=6'"):
        cache.lowest("transformers", SpecifierSet(">=6"))


def test_newest_asks_once_a_day_and_falls_back_on_what_it_heard(
    index: FakeIndex, cache: ReleaseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add_transformers("5.5.3")
    assert cache.newest("transformers", SpecifierSet()) == Version("5.5.3")
    index.add_transformers("5.6.0")
    assert cache.newest("transformers", SpecifierSet()) == Version("5.5.3")
    yesterday = time.time() - 2 * KEPT_FOR
    os.utime(cache.folder / "versions/transformers.json", (yesterday, yesterday))
    assert cache.newest("transformers", SpecifierSet()) == Version("5.6.0")
    os.utime(cache.folder / "versions/transformers.json", (yesterday, yesterday))
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9")
    assert cache.newest("transformers", SpecifierSet("<5.6")) == Version("5.5.3")
    with pytest.raises(EnvironmentProblem):
        cache.newest("transformers", SpecifierSet(">6"))


def test_index_without_an_answer_is_not_an_index_without_the_release(
    index: FakeIndex, server: Server, cache: ReleaseCache
) -> None:
    index.add_engine("0.23.0")
    server.status = 503
    with pytest.raises(EnvironmentProblem, match="503"):
        cache.engine(V24)


def test_extra_sources_without_the_package_do_no_harm(
    index: FakeIndex, cache: ReleaseCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels/other-1.0-py3-none-any.whl").touch()
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"{(tmp_path / 'empty').as_uri()} file:///nowhere/simple")
    monkeypatch.setenv("PIP_FIND_LINKS", f"{tmp_path / 'wheels'} {tmp_path / 'gone'}")
    index.add_transformers("5.5.3")
    assert cache.lowest("transformers", SpecifierSet()) == Version("5.5.3")
    assert cache.transformers(Version("5.5.3")).is_dir()


def test_silent_extra_source_hides_no_release_but_makes_the_floor_uncertain(
    index: FakeIndex, cache: ReleaseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "http://127.0.0.1:9/simple")
    index.add_transformers("5.5.3")
    assert cache.transformers(Version("5.5.3")).is_dir()
    with pytest.raises(EnvironmentProblem, match="cannot ask the package index"):
        cache.lowest("transformers", SpecifierSet())


def test_links_to_files_alone_serve_too(index: FakeIndex, cache: ReleaseCache, monkeypatch: pytest.MonkeyPatch) -> None:
    index.add_engine("0.24.0")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index.folder / "vllm"))
    assert cache.engine(V24).is_dir()


@pytest.mark.parametrize(
    "damage",
    [
        lambda root: (root / "vllm/registry.py").unlink(),
        lambda root: (root / "vllm/registry.py").write_text("edited by hand"),
        lambda root: (root / "vllm/registry.py").write_text("VERSION = '0.24.1'\n"),  # as many bytes
        lambda root: (root / "vllm/more.py").touch(),
        lambda root: (root.parent / "release.json").write_text("{"),
        lambda root: (root.parent / "release.json").write_text("[]"),
    ],
)
def test_damaged_release_is_brought_again(index: FakeIndex, cache: ReleaseCache, damage: object) -> None:
    index.add_engine("0.24.0")
    root = cache.engine(V24)
    assert callable(damage)
    damage(root)
    assert cache.engine(V24) == root
    assert (root / "vllm/registry.py").read_text() == "VERSION = '0.24.0'\n"
    assert not (root / "vllm/more.py").exists()
    assert not list((cache.folder / "partial").iterdir())


def test_a_copied_cache_is_intact(index: FakeIndex, cache: ReleaseCache, monkeypatch: pytest.MonkeyPatch) -> None:
    index.add_engine("0.24.0")
    root = cache.engine(V24)
    for path in root.rglob("*"):
        os.utime(path, (time.time() + 60, time.time() + 60))
    go_offline(monkeypatch)
    assert cache.engine(V24) == root


def test_a_manifest_of_an_earlier_version(
    index: FakeIndex, cache: ReleaseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add_engine("0.24.0")
    manifest = cache.engine(V24).parent / "release.json"
    told = json.loads(manifest.read_text())
    del told["content"]
    manifest.write_text(json.dumps(told))
    go_offline(monkeypatch)
    assert cache.engine(V24).is_dir()


def test_wrong_hash_is_refused(index: FakeIndex, cache: ReleaseCache) -> None:
    index.add_engine("0.24.0")
    data = (index.folder / "vllm/vllm-0.24.0.tar.gz").read_bytes()
    index.add_file("vllm", "vllm-0.25.0.tar.gz", data, sha256="0" * 64)
    with pytest.raises(EnvironmentProblem, match="hash differs"):
        cache.engine(Version("0.25.0"))
    assert cache.cached_versions("vllm") == []
    assert not list((cache.folder / "partial").iterdir())


def test_wrong_hash_is_refused_over_the_network(index: FakeIndex, server: Server, cache: ReleaseCache) -> None:
    index.add_file("vllm", "vllm-0.25.0.tar.gz", b"not what was listed", sha256="0" * 64)
    with pytest.raises(EnvironmentProblem, match="hash differs"):
        cache.engine(Version("0.25.0"))
    assert server.requests
    assert cache.cached_versions("vllm") == []


def test_download_that_breaks_off_is_not_used(index: FakeIndex, server: Server, cache: ReleaseCache) -> None:
    index.add_engine("0.24.0")
    server.break_off = True
    with pytest.raises(EnvironmentProblem, match=r"download of vllm-0\.24\.0\.tar\.gz failed"):
        cache.engine(V24)
    assert cache.cached_versions("vllm") == []
    server.break_off = False
    assert (cache.engine(V24) / "vllm/__init__.py").is_file()


def test_too_large_a_download_is_given_up(
    index: FakeIndex, server: Server, cache: ReleaseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add_engine("0.24.0")
    monkeypatch.setattr("retire_model.sources.package_index.LARGEST_ARCHIVE", 20)
    with pytest.raises(EnvironmentProblem, match="larger than 20 bytes"):
        cache.engine(V24)
    assert server.requests


def test_progress_is_told(index: FakeIndex, server: Server, cache: ReleaseCache) -> None:
    index.add_engine("0.24.0")
    told: list[tuple[str, int, int | None]] = []
    ReleaseCache(cache.folder, lambda *news: told.append(news)).engine(V24)
    size = (index.folder / "vllm/vllm-0.24.0.tar.gz").stat().st_size
    assert told[-1] == ("vllm-0.24.0.tar.gz", size, size)
    assert server.requests


def test_cache_that_cannot_be_written(index: FakeIndex, tmp_path: Path) -> None:
    index.add_engine("0.24.0")
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentProblem, match=r"cache .* cannot be used") as caught:
        ReleaseCache(tmp_path / "file").engine(V24)
    assert "RETIRE_MODEL_CACHE" in caught.value.remedy


FETCH = """
import sys
from pathlib import Path
from packaging.version import Version
from retire_model.sources.releases import ReleaseCache
print(ReleaseCache(Path(sys.argv[1])).engine(Version("0.24.0")))
"""
REPOSITORY = Path(__file__).parents[3]


def fetch_elsewhere(cache: ReleaseCache) -> subprocess.Popen[str]:
    """Another process that fetches the same release into the same cache."""
    return subprocess.Popen(
        [sys.executable, "-c", FETCH, str(cache.folder)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_two_fetches_at_once_download_once(index: FakeIndex, server: Server, cache: ReleaseCache) -> None:
    index.add_engine("0.24.0")
    server.go_on.clear()
    first = fetch_elsewhere(cache)
    assert server.asked_for_archive.wait(30)
    second = fetch_elsewhere(cache)
    while len([path for path in server.requests if path == "/vllm/"]) < 2:
        assert second.poll() is None
    server.go_on.set()
    outputs = [process.communicate(timeout=60)[0] for process in (first, second)]
    assert outputs[0] == outputs[1] == f"{cache.engine(V24)}\n"
    assert len([path for path in server.requests if path.endswith(".tar.gz")]) == 1


def test_killed_fetch_leaves_nothing_that_is_used(index: FakeIndex, server: Server, cache: ReleaseCache) -> None:
    index.add_engine("0.24.0")
    server.go_on.clear()
    victim = fetch_elsewhere(cache)
    assert server.asked_for_archive.wait(30)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    assert list((cache.folder / "partial").iterdir())
    assert cache.cached_versions("vllm") == []
    server.go_on.set()
    assert (cache.engine(V24) / "vllm/__init__.py").is_file()
    assert not list((cache.folder / "partial").iterdir())


@pytest.mark.parametrize("setting", ["PIP_CERT", "PIP_FIND_LINKS"])
def test_a_home_folder_that_pip_names_and_that_is_none(
    setting: str, index: FakeIndex, cache: ReleaseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add_engine("0.24.0")
    monkeypatch.setenv(setting, "~nosuchuser/pip")
    with pytest.raises(EnvironmentProblem, match="~nosuchuser/pip: there is no such home folder"):
        cache.engine(Version("0.24.0"))
