"""AyaVision, MusicFlamingo and Mantis removed from the real 0.24.0, as 0.25.0 has it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.registry import registry_of
from analyzer.source.source_tree import SourceTree, parse_python
from retire_model.command import run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Release

pytestmark = pytest.mark.release
REGISTRY = "vllm/model_executor/models/registry.py"
ARCHITECTURES = (
    "AyaVisionForConditionalGeneration",
    "MusicFlamingoForConditionalGeneration",
    "MantisForConditionalGeneration",
)
GONE = {
    "tests/models/fixtures/musicflamingo/expected_results_batched.json",
    "tests/models/fixtures/musicflamingo/expected_results_single.json",
    "tests/models/multimodal/generation/test_musicflamingo.py",
    "tests/models/multimodal/processing/test_musicflamingo.py",
    "vllm/model_executor/models/aya_vision.py",
    "vllm/model_executor/models/musicflamingo.py",
}


@pytest.fixture(scope="module")
def removed(engine_0_24: Path, transformers_release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("engine") / "vllm"
    shutil.copytree(engine_0_24, root, symlinks=True)
    models = ["aya_vision", "musicflamingo", "MantisForConditionalGeneration"]
    options = ["--engine", str(root), "--transformers", str(transformers_release("5.5.3"))]
    assert run([*models, "--remove", "--write", *options]) == 0
    return root


def test_the_registry(removed: Path, engine_0_25: Path) -> None:
    ours, theirs = (registry_of(SourceTree(root).parse(REGISTRY)) for root in (removed, engine_0_25))
    for architecture in ARCHITECTURES:
        (entry,), (expected,) = ours.entries(architecture), theirs.entries(architecture)
        assert (entry.dictionary, entry.value) == (expected.dictionary, expected.value)


def test_the_files_that_go(removed: Path, engine_0_24: Path) -> None:
    before, after = (
        {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()} for root in (engine_0_24, removed)
    )
    assert before - after == GONE
    assert after <= before


def test_the_class_of_a_module_that_stays(removed: Path, engine_0_25: Path) -> None:
    file = "vllm/model_executor/models/llava.py"
    assert (removed / file).read_text() == (engine_0_25 / file).read_text()


@pytest.mark.parametrize("name", ["MusicFlamingo", "aya-vision", "AyaVision", "Mantis-8B", "run_mantis"])
def test_nothing_mentions_them(removed: Path, name: str) -> None:
    mentions = [
        path.relative_to(removed).as_posix()
        for folder in ("docs", "examples", "tests/models", "vllm/model_executor/models")
        for path in (removed / folder).rglob("*")
        if path.is_file() and name.encode() in path.read_bytes()
    ]
    assert set(mentions) <= {REGISTRY}


def test_every_file_that_changed_is_python(removed: Path, engine_0_24: Path) -> None:
    changed = [
        path
        for path in removed.rglob("*.py")
        if path.read_bytes() != (engine_0_24 / path.relative_to(removed)).read_bytes()
    ]
    assert changed
    for file in changed:
        parse_python((removed / file).read_bytes(), file.name)
