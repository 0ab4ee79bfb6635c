from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from unearth import PackageFinder

from analyzer.errors import EnvironmentProblem
from retire_model.sources.index_session import open_session, sources_of
from retire_model.sources.index_settings import IndexSettings

if TYPE_CHECKING:
    from pathlib import Path


def urls(settings: IndexSettings) -> list[tuple[str, str]]:
    return [(source["type"], source["url"]) for source in sources_of(PackageFinder(), settings)]


def test_default_index_is_the_libary_s() -> None:
    default = [("index", source["url"]) for source in PackageFinder().sources]
    assert urls(IndexSettings()) == default
    assert urls(IndexSettings(extra_index_urls=("file:///x",))) == [*default, ("index", "file:///x")]


def test_configured_index_takes_its_place(tmp_path: Path) -> None:
    settings = IndexSettings(
        index_url="file:///a",
        extra_index_urls=("file:///b",),
        find_links=(str(tmp_path), "/nowhere/at/all", "file:///c"),
    )
    assert urls(settings) == [
        ("index", "file:///a"),
        ("index", "file:///b"),
        ("find_links", str(tmp_path)),
        ("find_links", "file:///c"),
    ]


def test_no_index_means_none() -> None:
    assert urls(IndexSettings(index_url="file:///a", extra_index_urls=("file:///b",), no_index=True)) == []


@pytest.mark.parametrize("content", [None, "not a certificate"])
def test_unreadable_certificates(content: str | None, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.pem"
    if content is not None:
        bundle.write_text(content)
    with pytest.raises(EnvironmentProblem, match="certificates of pip's configuration"):
        open_session(IndexSettings(certificates=str(bundle)))


def test_folder_of_certificates(tmp_path: Path) -> None:
    open_session(IndexSettings(certificates=str(tmp_path))).close()


NO_ADDRESS = "http://me:secret@[::1"


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (IndexSettings(index_url=NO_ADDRESS), "index-url"),
        (IndexSettings(extra_index_urls=("file:///a", NO_ADDRESS)), "extra-index-url"),
        (IndexSettings(find_links=(NO_ADDRESS,)), "find-links"),
        (IndexSettings(proxy=NO_ADDRESS), "proxy"),
    ],
)
def test_addresses_that_are_none(settings: IndexSettings, name: str) -> None:
    with pytest.raises(EnvironmentProblem, match=f"`{name}` in pip's configuration is no address") as caught:
        open_session(settings)
    assert "secret" not in caught.value.problem + caught.value.remedy
