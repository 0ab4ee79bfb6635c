"""The changed tree with what mends it, to see which faults are left."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.engine.suppressions import Suppressions
from analyzer.source.source_tree import SourceTree
from analyzer.uses.tree_facts import TreeFacts
from codemods.edits import Deletion
from codemods.writing.disk import Disk
from retire_model.baseline import Known, known_faults
from rules.lint.catalogue import find_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codemods.edits import Edit


def faults_left(root: Path, edits: Sequence[Edit]) -> Known:
    """The faults of the tree at `root` once `edits` are applied, in a folder beside it."""
    mended = root.with_name("mended")
    changed = {edit.file: None if isinstance(edit, Deletion) else edit.after for edit in edits}
    for folder, _, names in os.walk(root):
        inside = os.path.relpath(folder, root)
        (mended / inside).mkdir(parents=True)
        for name in names:
            if os.path.normpath(f"{inside}/{name}") not in changed:
                Disk().keep(Path(folder, name), mended / inside / name)
    for file, after in changed.items():
        if after is not None:
            (mended / file).parent.mkdir(parents=True, exist_ok=True)
            (mended / file).write_bytes(after)
    tree = SourceTree(mended)
    return known_faults(find_faults(TreeFacts(tree), Suppressions(tree)))
