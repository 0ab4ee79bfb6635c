"""Checkpoints of the engine's test registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.test_registry import TEST_REGISTRY_FILE, checkpoints_of, read_test_registry
from analyzer.errors import UnreadableSource
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

REGISTRY = """\
_TEXT = {
    "A": _HfExamplesInfo("org/a", tokenizer="org/t", extras={"x": "org/a2", "y": NAME}),
    "B": _HfExamplesInfo(
        "org/b",
        {"alias": "b"},
        min_transformers_version="5.0",
    ),
    "C": _HfExamplesInfo(default="org/c", hf_overrides={"architectures": ["C"]}),
    "Draft": _HfExamplesInfo("org/a", speculative_model="org/draft"),
    "E": something("org/e"),
    **{k: v for k, v in OTHER.items()},
}
_MORE: dict[str, object] = {
    "A": _HfExamplesInfo("org/a", extras={"z": "org/a3"}),
    "N": _HfExamplesInfo(),
}
x, y = {}, {}
"""


def test_entries(tmp_path: Path) -> None:
    path = tmp_path / TEST_REGISTRY_FILE
    path.parent.mkdir(parents=True)
    path.write_text(REGISTRY)
    entries = read_test_registry(SourceTree(tmp_path))
    assert [(e.architecture, e.dictionary, e.checkpoints) for e in entries] == [
        ("A", "_TEXT", ("org/a", "org/a2")),
        ("B", "_TEXT", ("org/b", "b")),
        ("C", "_TEXT", ("org/c",)),
        ("Draft", "_TEXT", ("org/draft",)),
        ("A", "_MORE", ("org/a", "org/a3")),
        ("N", "_MORE", ()),
    ]
    assert (str(entries[1].location), entries[1].end_line) == (f"{TEST_REGISTRY_FILE}:3", 7)
    assert checkpoints_of(entries, "A") == ("org/a", "org/a2", "org/a3")
    assert checkpoints_of(entries, "Z") == ()


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource):
        read_test_registry(SourceTree(tmp_path))


@pytest.mark.release
@pytest.mark.parametrize("release", ["0.24.0", "0.33.0"])
def test_every_real_entry_has_a_checkpoint(engine_release: object, release: str) -> None:
    entries = read_test_registry(SourceTree(engine_release(release)))  # type: ignore[operator]
    assert len(entries) > 300
    assert all(entry.checkpoints for entry in entries)
