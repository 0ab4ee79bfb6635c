"""Takes the checkpoints that lose a capability out of the engine's tests of that capability.

What the verdict leaves unproven stays in them: they are what would tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codemods.code.display import display_names, find_display
from codemods.code.display_check import Intent, check_displays
from codemods.code.python_text import PythonText
from codemods.plan import Migrate
from codemods.test_files.checkpoint_parameters import without_parameters
from rules.findings import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

CAPABILITY_TESTS = {
    "tests/distributed/test_pipeline_parallel.py": Capability.PIPELINE_PARALLEL,
    "tests/distributed/test_context_parallel.py": Capability.TENSOR_PARALLEL,
    "tests/distributed/test_expert_parallel.py": Capability.TENSOR_PARALLEL,
    "tests/distributed/test_sequence_parallel.py": Capability.TENSOR_PARALLEL,
    "tests/compile/correctness_e2e/test_sequence_parallel.py": Capability.TENSOR_PARALLEL,
}
"""Files with lists of checkpoints that are run on several ranks or stages (vLLM 0.11 to 0.33)."""
CAPABILITY_FOLDERS = {
    "tests/lora": Capability.LORA,
    "tests/quantization": Capability.QUANTIZATION,
    "tests/models/quantization": Capability.QUANTIZATION,
}
"""Folders of tests whose lists and parameters are tried with the capability (vLLM 0.11 to 0.33)."""


def drop_capability_tests(plan: RetirementPlan, draft: Draft) -> None:
    """Drop the entries whose checkpoint belongs to architectures that all lose what the file tests.

    A tree without such a file has nothing to mend. Raises `UnreadableSource` where one is not valid Python.
    """
    for file, capability in CAPABILITY_TESTS.items():
        lost = _losing(plan, capability)
        if lost and draft.exists(file):
            _drop(file, lost, _reason(capability), draft)
    for folder, capability in CAPABILITY_FOLDERS.items():
        lost = _losing(plan, capability)
        for file in _files_naming(lost, folder, draft):
            _drop_parameters(file, lost, _reason(capability), draft)


def _losing(plan: RetirementPlan, capability: Capability) -> frozenset[str]:
    served = [a for a in plan.architectures if isinstance(a.outcome, Migrate)]
    kept = {c for a in served if capability not in a.losses for c in a.checkpoints}
    return frozenset(c for a in served if capability in a.losses for c in a.checkpoints) - kept


def _reason(capability: Capability) -> str:
    return f"no {capability.replace('-', ' ')}"


def _files_naming(checkpoints: frozenset[str], folder: str, draft: Draft) -> Iterator[str]:
    if not checkpoints or not draft.tree.locate(folder).is_dir():
        return
    for file in draft.tree.walk(folder, frozenset({".py"})):
        if draft.exists(file) and any(checkpoint.encode() in draft.read(file) for checkpoint in checkpoints):
            yield file


def _drop_parameters(file: str, lost: frozenset[str], reason: str, draft: Draft) -> None:
    """Drop parameters among others; one that stands alone stays, and is told."""
    before = PythonText.of(draft.read(file), file)
    after = without_parameters(before, lost)
    if after.text != before.text:
        named = sorted(c for c in lost if before.text.count(c) > after.text.count(c))
        draft.rewrite(file, after.encode(), f"{reason}: {', '.join(named)}")


def _drop(file: str, lost: frozenset[str], reason: str, draft: Draft) -> None:
    before = source = PythonText.of(draft.read(file), file)
    intent = Intent()
    for name in display_names(source):
        while (shorter := _without_one(source, name, lost, intent)) is not None:
            source = shorter
    if intent.removed:
        check_displays(before, source, intent)
        dropped = sorted({checkpoint for _, checkpoint in intent.removed})
        draft.rewrite(file, source.encode(), f"{reason}: {', '.join(dropped)}")


def _without_one(source: PythonText, name: str, lost: frozenset[str], intent: Intent) -> PythonText | None:
    display = find_display(source, name)
    if display is None:
        return None
    for index, item in enumerate(display.items):
        if item.name in lost:
            intent.removed.add((name, item.name))
            intent.comments.extend(comment.text for comment in display.comments_of(item))
            return display.without(index)
    return None
