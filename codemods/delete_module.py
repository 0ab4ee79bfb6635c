"""Takes away the files of bespoke modules that no architecture needs any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codemods.edits import Draft
    from codemods.plan import RetirementPlan


def delete_modules(plan: RetirementPlan, draft: Draft) -> None:
    """Delete the files of each module; one that is gone already stays gone.

    Raises `UnreadableSource` for a path that leads out of the tree.
    """
    for module in plan.modules:
        for file in module.files:
            draft.tree.locate(file)
            if draft.exists(file):
                draft.delete(file, f"bespoke module {module.name}")
