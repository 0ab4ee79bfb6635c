"""What the docs list, with its place and the kind of its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.documented_architectures import read_documented_architectures
from analyzer.source.source_tree import SourceTree
from tests.toy import write_engine

if TYPE_CHECKING:
    from pathlib import Path


def test_fixture(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    (root / "docs/other.md").write_text("| Architecture |\n|---|\n| `*ForCausalLM`, `ToyForCausalLM` |\n")
    (root / "docs/prose.md").write_text("The Architecture of `X`.\n")
    found = {(d.name, d.location.file): d for d in read_documented_architectures(SourceTree(root))}
    page = "docs/models/supported_models.md"
    assert found["AwayModel", page].by_plugin
    assert found["AcornForCausalLM", page].by_backend
    assert not found["AcornForCausalLM", page].beside_backend
    twin = found["TwinTooForCausalLM", page]
    assert (twin.beside_backend, twin.by_backend, twin.by_plugin, twin.says_supported) == (True, False, False, True)
    assert (
        (root / page).read_text().splitlines()[twin.location.line - 1][twin.location.column - 1 :].startswith(twin.name)
    )
    pattern = found["*ForCausalLM", "docs/other.md"]
    assert pattern.is_pattern
    assert not pattern.says_supported
    assert ("X", "docs/prose.md") not in found


def test_tree_without_docs(tmp_path: Path) -> None:
    assert read_documented_architectures(SourceTree(tmp_path)) == ()
