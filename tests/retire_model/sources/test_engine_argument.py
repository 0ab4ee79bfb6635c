from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from analyzer.errors import EnvironmentProblem, WrongUse
from retire_model.sources.engine_argument import (
    EngineFolder,
    EngineRelease,
    parse_engine,
    tree_to_read,
    tree_to_write,
)

if TYPE_CHECKING:
    from retire_model.sources.releases import ReleaseCache
    from tests.retire_model.conftest import FakeIndex


def test_without_a_value_the_current_directory() -> None:
    assert parse_engine(None) == EngineFolder(Path())


def test_folder(tmp_path: Path, cache: ReleaseCache) -> None:
    engine = parse_engine(str(tmp_path))
    with tree_to_write(engine, cache, None) as written:
        assert tree_to_read(engine, cache) == written == tmp_path


@pytest.mark.parametrize("text", ["vllm==0.24.0", " vLLM == 0.24 ", "vllm==v0.24.0"])
def test_release(text: str) -> None:
    assert parse_engine(text) == EngineRelease(Version("0.24.0"))


@pytest.mark.parametrize("text", ["vllm==", "vllm==0.24.*", "vllm===x", "vllm==0.24,<1", "torch==2.8", "vllm>=0.1,==2"])
def test_not_a_release(text: str) -> None:
    with pytest.raises(WrongUse, match="not a release") as caught:
        parse_engine(text)
    assert "vllm==VERSION" in caught.value.remedy


def test_no_such_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("gone", "file"):
        with pytest.raises(WrongUse, match="no such folder"):
            parse_engine(str(tmp_path / name))


def test_release_is_read_in_the_cache_and_written_in_a_copy(
    index: FakeIndex, cache: ReleaseCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.add_engine("0.24.0")
    engine = parse_engine("vllm==0.24.0")
    monkeypatch.chdir(tmp_path)
    original = tree_to_read(engine, cache)
    assert original.is_relative_to(cache.folder)
    with tree_to_write(engine, cache, None) as written:
        assert written == tmp_path / "vllm-0.24.0"
    with tree_to_write(engine, cache, Path("other")) as written:
        assert written == tmp_path / "other"
    assert (tmp_path / "other/vllm/registry.py").read_bytes() == (original / "vllm/registry.py").read_bytes()


def test_folder_is_not_copied(tmp_path: Path, cache: ReleaseCache) -> None:
    with pytest.raises(WrongUse, match="--copy-to goes with"):
        tree_to_write(EngineFolder(tmp_path), cache, tmp_path / "copy").__enter__()


def test_a_home_folder_and_a_version_that_cannot_be() -> None:
    with pytest.raises(EnvironmentProblem, match="no such home folder"):
        parse_engine("~nosuchuser/vllm")
    with pytest.raises(WrongUse, match="not a release"):
        parse_engine("vllm==" + "9" * 5000)
