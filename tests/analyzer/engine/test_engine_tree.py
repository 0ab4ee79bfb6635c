"""Engine trees recognised and identified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.errors import EnvironmentProblem, UnreadableSource
from analyzer.source.source_tree import SourceTree
from tests.toy import write_engine

if TYPE_CHECKING:
    from pathlib import Path


def test_opens_a_release(tmp_path: Path) -> None:
    engine = open_engine_tree(write_engine(tmp_path))
    assert str(engine.version) == "9.1.0"
    assert engine.registry.entries("ToyForCausalLM")[0].module == "toy"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("__version__ = version = '9.2.1'\n", "9.2.1"),
        ('__version__ = "9.3"\n', "9.3"),
        ("__version__ = 'dev+!'\n", "None"),
    ],
)
def test_reads_the_version_of_a_built_checkout(tmp_path: Path, text: str, version: str) -> None:
    root = write_engine(tmp_path)
    (root / "PKG-INFO").unlink()
    (root / "vllm/_version.py").write_text(text)
    assert str(open_engine_tree(root).version) == version


def test_a_checkout_may_not_know_its_version(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    (root / "PKG-INFO").write_bytes(b"\xff\xfe")
    assert open_engine_tree(root).version is None


def test_refuses_another_folder(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="is not an engine tree"):
        open_engine_tree(tmp_path)


def test_names_the_line_of_a_broken_registry(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    (root / "vllm/model_executor/models/registry.py").write_text("_VLLM_MODELS = {\n  **_A,\n  oops oops\n}\n")
    with pytest.raises(UnreadableSource, match=r"registry\.py:3 is not valid Python"):
        open_engine_tree(root)


REGISTRY = "vllm/model_executor/models/registry.py"


def test_a_registry_outside_of_the_tree_is_not_read(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    (root / REGISTRY).rename(tmp_path / "registry.py")
    (root / REGISTRY).symlink_to(tmp_path / "registry.py")
    with pytest.raises(UnreadableSource, match=r"leads out of .* by a link"):
        open_engine_tree(root)


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("nowhere.py", "it is a link to a file that is not there"),
        ("registry.py", "symbolic links"),
        ("..", "is not a file"),
    ],
)
def test_a_registry_that_cannot_be_read(tmp_path: Path, target: str, reason: str) -> None:
    root = write_engine(tmp_path)
    (root / REGISTRY).unlink()
    (root / REGISTRY).symlink_to(target)
    with pytest.raises(EnvironmentProblem, match=reason):
        open_engine_tree(root)


def test_a_folder_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_engine(tmp_path)

    def forbidden(self: Path, **_: object) -> object:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.is_file", lambda _: False)
    monkeypatch.setattr("pathlib.Path.lstat", forbidden)
    with pytest.raises(EnvironmentProblem, match=r"cannot read .*registry\.py of .*: Permission denied"):
        open_engine_tree(root)


def test_says_the_real_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    with pytest.raises(EnvironmentProblem, match=f"^{tmp_path} is not an engine tree"):
        open_engine_tree(type(tmp_path)(".."))
    with pytest.raises(UnreadableSource) as caught:
        SourceTree(type(tmp_path)("..")).read("no.py")
    assert caught.value.remedy == f"Looked below {tmp_path}."
