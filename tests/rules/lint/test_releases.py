"""What `lint` finds in unchanged releases: leftovers of the engine's own, each looked at, and nothing else.

The docs row that 0.24.0 forgot when it removed a model, up to three keys of the test registry that no architecture
has, and the architectures that no page on supported models lists.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from analyzer.engine.suppressions import Suppressions
from analyzer.source.source_tree import SourceTree
from analyzer.uses.tree_facts import TreeFacts
from rules.lint.catalogue import find_faults
from tests.toy import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FAULTS: dict[str, list[str]] = json.loads((FIXTURES / "lint-releases.json").read_text())["releases"]


@pytest.mark.release
@pytest.mark.parametrize("version", FAULTS)
def test_release(version: str, engine_release: Callable[[str], Path]) -> None:
    tree = SourceTree(engine_release(version))
    found = find_faults(TreeFacts(tree), Suppressions(tree))
    expected = [line.split() for line in FAULTS[version]]
    assert [[fault.check, str(fault.location)] for fault in found] == [line[:2] for line in expected]
    for fault, (_, _, name) in zip(found, expected, strict=True):
        assert name in fault.message
