"""Which packages the tree is searched for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemods import ci_packages
from codemods.edits import Draft
from tests.codemods.small_tree import write_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

CI = "steps:\n  - pip install tools git+https://example.org/lab/pearlib.git\n"
TEST = "import figlib\nimport pearlib\n"


def test_only_for_what_ci_installs_from_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def mentioning(name: str, _draft: Draft) -> Iterator[str]:
        asked.append(name)
        return iter(())

    monkeypatch.setattr(ci_packages, "mentioning", mentioning)
    draft = Draft(write_tree(tmp_path, {"tests/test_pear.py": TEST, ".buildkite/a.yaml": CI}))
    draft.delete("tests/test_pear.py", "gone")
    ci_packages.drop_ci_packages(draft)
    assert asked == ["pearlib"]
