from __future__ import annotations

import importlib.metadata
import json
from typing import TYPE_CHECKING

import pytest

from analyzer.errors import EnvironmentProblem, WrongUse
from analyzer.source.source_tree import SourceTree
from retire_model.sources import release_fetching  # noqa: F401 - `installed` hides what is imported later
from retire_model.sources.transformers_argument import TransformersSource, not_admitted, transformers_sources

if TYPE_CHECKING:
    from pathlib import Path

    from retire_model.sources.releases import ReleaseCache
    from tests.retire_model.conftest import FakeIndex


@pytest.fixture
def engine(tmp_path: Path) -> SourceTree:
    (tmp_path / "engine/requirements").mkdir(parents=True)
    (tmp_path / "engine/requirements/common.txt").write_text("regex\ntransformers >= 5.5.3, < 5.9\n")
    return SourceTree(tmp_path / "engine")


@pytest.fixture
def releases(index: FakeIndex) -> None:
    for version in ("5.5.2", "5.5.3", "5.6.0", "5.8.0rc1", "5.9.0"):
        index.add_transformers(version)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site-packages folder, the only one in which metadata are found."""
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.setattr("sys.path", [str(site)])
    importlib.invalidate_caches()
    return site


def install(site: Path, version: str, *, package: Path | None = None, editable: str = "") -> None:
    info = site / f"transformers-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: transformers\nVersion: {version}\n")
    if editable:
        (info / "direct_url.json").write_text(json.dumps({"url": editable, "dir_info": {"editable": True}}))
    make_package(site if package is None else package, version)


def make_package(root: Path, version: str) -> None:
    (root / "transformers").mkdir(parents=True)
    (root / "transformers/__init__.py").write_text(f'"""Doc."""\n__version__ = "{version}"\nraise SystemExit\n')


def labels(sources: list[TransformersSource]) -> list[str]:
    return [source.label for source in sources]


@pytest.mark.usefixtures("releases")
def test_versions_and_ends_of_the_range(engine: SourceTree, cache: ReleaseCache) -> None:
    sources = transformers_sources(["5.9.0", "floor", "newest"], engine, cache)
    assert labels(sources) == ["5.9.0", "5.5.3", "5.6.0"]
    for source in sources:
        assert source.label in (source.root / "transformers/__init__.py").read_text()
    assert "requirements/common.txt:2" in sources[1].origin


@pytest.mark.usefixtures("releases")
def test_no_source_twice(engine: SourceTree, cache: ReleaseCache) -> None:
    assert labels(transformers_sources(["5.5.3", "floor", "5.6"], engine, cache)) == ["5.5.3", "5.6"]


@pytest.mark.parametrize("shape", ["release", "release/transformers", "checkout"])
def test_folders(shape: str, engine: SourceTree, cache: ReleaseCache, tmp_path: Path) -> None:
    make_package(tmp_path / "release", "5.7.0.dev0")
    make_package(tmp_path / "checkout/src", "5.7.0.dev0")
    (source,) = transformers_sources([str(tmp_path / shape)], engine, cache)
    assert source.label == "5.7.0.dev0"
    assert (source.root / "transformers/__init__.py").is_file()


@pytest.mark.parametrize("content", ["", "__version__ = (", "__version__ = compute()"])
def test_folder_that_does_not_say_its_version(
    content: str, engine: SourceTree, cache: ReleaseCache, tmp_path: Path
) -> None:
    make_package(tmp_path / "release", "")
    (tmp_path / "release/transformers/__init__.py").write_text(content)
    assert labels(transformers_sources([str(tmp_path / "release")], engine, cache)) == [str(tmp_path / "release")]


def test_neither_version_nor_folder(engine: SourceTree, cache: ReleaseCache, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="--transformers latest is neither"):
        transformers_sources(["latest"], engine, cache)
    with pytest.raises(WrongUse, match="holds no package transformers"):
        transformers_sources([str(tmp_path)], engine, cache)


def test_installed_release_in_the_range_is_the_default(
    engine: SourceTree, cache: ReleaseCache, installed: Path
) -> None:
    install(installed, "5.7.1")
    (source,) = transformers_sources([], engine, cache)
    assert (source.label, source.root) == ("5.7.1", installed)
    assert source.origin.startswith("installed")


def test_editable_install(engine: SourceTree, cache: ReleaseCache, installed: Path, tmp_path: Path) -> None:
    checkout = tmp_path / "a checkout"
    install(installed, "5.7.1.dev0", package=checkout / "src", editable=checkout.as_uri())
    (source,) = transformers_sources([], engine, cache)
    assert source.root == checkout / "src"


@pytest.mark.usefixtures("releases")
@pytest.mark.parametrize("version", ["5.9.0", "4.57.6", "not-a-version"])
def test_installed_release_outside_the_range_gives_way_to_the_floor(
    version: str, engine: SourceTree, cache: ReleaseCache, installed: Path
) -> None:
    install(installed, version)
    (source,) = transformers_sources([], engine, cache)
    assert source.label == "5.5.3"
    assert source.origin.startswith("the lowest release")


@pytest.mark.usefixtures("releases")
def test_metadata_without_a_package_give_way_to_the_floor(
    engine: SourceTree, cache: ReleaseCache, installed: Path, tmp_path: Path
) -> None:
    install(installed, "5.7.1", package=tmp_path / "elsewhere", editable="https://example.invalid/x")
    assert labels(transformers_sources([], engine, cache)) == ["5.5.3"]
    (installed / "transformers-5.7.1.dist-info/direct_url.json").write_text("[")
    assert labels(transformers_sources([], engine, cache)) == ["5.5.3"]


@pytest.mark.usefixtures("releases")
def test_nothing_installed(engine: SourceTree, cache: ReleaseCache, installed: Path) -> None:
    assert not list(installed.iterdir())
    assert labels(transformers_sources([], engine, cache)) == ["5.5.3"]


def test_engine_without_a_range(cache: ReleaseCache, tmp_path: Path) -> None:
    for arguments in ([], ["floor"], ["newest"]):
        with pytest.raises(EnvironmentProblem, match=r"has no requirements/common\.txt"):
            transformers_sources(arguments, SourceTree(tmp_path), cache)


@pytest.mark.parametrize(
    ("labels", "outside"),
    [(["5.6.0"], ""), (["5.9.0", "5.6.0", "5.5.2"], "5.9.0, 5.5.2"), (["/a/checkout"], ""), (["5.6.0.dev0"], "")],
)
def test_releases_that_the_engine_does_not_admit(
    engine: SourceTree, tmp_path: Path, labels: list[str], outside: str
) -> None:
    told = not_admitted([TransformersSource(label, tmp_path, "") for label in labels], engine)
    assert told == (
        outside and f"Transformers {outside}: outside <5.9,>=5.5.3, which requirements/common.txt:2 asks for"
    )


def test_without_a_range_every_release_is_admitted(tmp_path: Path) -> None:
    assert not_admitted([TransformersSource("1.0", tmp_path, "")], SourceTree(tmp_path)) == ""
