"""Takes the checkpoints that lose pipeline parallel out of the engine's pipeline-parallel tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemods.display import display_names, find_display
from codemods.display_check import Intent, check_displays
from codemods.plan import Migrate
from codemods.python_text import PythonText

if TYPE_CHECKING:
    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

PIPELINE_PARALLEL_TESTS = "tests/distributed/test_pipeline_parallel.py"


def drop_pipeline_parallel_tests(plan: RetirementPlan, draft: Draft) -> None:
    """Drop the entries whose checkpoint belongs to an architecture that can no longer run pipeline parallel.

    A tree without these tests has nothing to mend. Raises `UnreadableSource` where the file is not valid Python.
    """
    served = [a for a in plan.architectures if isinstance(a.outcome, Migrate)]
    kept = {c for a in served if a.supports_pipeline_parallel for c in a.checkpoints}
    lost = {c for a in served if not a.supports_pipeline_parallel for c in a.checkpoints} - kept
    if not lost or not draft.exists(PIPELINE_PARALLEL_TESTS):
        return
    before = source = PythonText.of(draft.read(PIPELINE_PARALLEL_TESTS), PIPELINE_PARALLEL_TESTS)
    intent = Intent()
    for name in display_names(source):
        while (shorter := _without_one(source, name, lost, intent)) is not None:
            source = shorter
    if intent.removed:
        check_displays(before, source, intent)
        dropped = sorted({checkpoint for _, checkpoint in intent.removed})
        draft.rewrite(PIPELINE_PARALLEL_TESTS, source.encode(), f"no pipeline parallel: {', '.join(dropped)}")


def _without_one(source: PythonText, name: str, lost: set[str], intent: Intent) -> PythonText | None:
    display = find_display(source, name)
    if display is None:
        return None
    for index, item in enumerate(display.items):
        if item.name in lost:
            intent.removed.add((name, item.name))
            intent.comments.extend(comment.text for comment in display.comments_of(item))
            return display.without(index)
    return None
