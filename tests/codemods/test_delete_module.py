"""Files of retired modules go."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import UnreadableSource
from codemods.delete_module import delete_modules
from codemods.edits import Deletion, Draft
from tests.codemods.small_tree import plan_of, write_tree

if TYPE_CHECKING:
    from pathlib import Path


def test_files_go_once(tmp_path: Path) -> None:
    draft = Draft(write_tree(tmp_path, {"a/pear.py": "x = 1\n"}))
    plan = plan_of(files=("a/pear.py", "a/gone.py"))
    delete_modules(plan, draft)
    delete_modules(plan, draft)
    assert draft.change_set().edits == (Deletion("a/pear.py", b"x = 1\n", ("bespoke module pear",)),)


@pytest.mark.parametrize("file", ["../other.py", "/etc/passwd", "link/x.py"])
def test_paths_stay_in_the_tree(tmp_path: Path, file: str) -> None:
    root = tmp_path / "tree"
    tree = write_tree(root, {"a.py": ""})
    (root / "link").symlink_to(tmp_path)
    (tmp_path / "x.py").write_text("")
    with pytest.raises(UnreadableSource, match="leads out of"):
        delete_modules(plan_of(files=(file,)), Draft(tree))
