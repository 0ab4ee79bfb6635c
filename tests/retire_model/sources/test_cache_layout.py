from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from analyzer.errors import EnvironmentProblem
from retire_model.sources.cache_layout import CacheLayout, cache_folder


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"RETIRE_MODEL_CACHE": "/c"}, "/c"),
        ({"RETIRE_MODEL_CACHE": "~/c", "HOME": "/h"}, "/h/c"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/retire-model"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/retire-model"),
        ({"HOME": "/h"}, "/h/.cache/retire-model"),
    ],
)
def test_cache_folder(variables: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RETIRE_MODEL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(folder)


def test_cached_versions_passes_over_what_is_none(tmp_path: Path) -> None:
    for name in ("vllm-0.24.0", "vllm-0.9.1", "vllm-ascend-0.1", "vllm-half", "transformers-5.5.3"):
        (tmp_path / "releases" / name).mkdir(parents=True)
        (tmp_path / "releases" / name / "release.json").touch()
    (tmp_path / "releases/vllm-0.25.0").mkdir()
    assert CacheLayout(tmp_path).cached_versions("vllm") == [Version("0.9.1"), Version("0.24.0")]
    assert CacheLayout(tmp_path / "nowhere").cached_versions("vllm") == []


def test_no_home_folder_for_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("RETIRE_MODEL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    with pytest.raises(EnvironmentProblem, match="no home folder for the cache"):
        cache_folder()
    monkeypatch.setenv("RETIRE_MODEL_CACHE", "~nosuchuser/cache")
    with pytest.raises(EnvironmentProblem, match="no such home folder"):
        cache_folder()
