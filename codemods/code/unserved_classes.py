"""Takes the class of an architecture that is gone out of a module that stays for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE, registry_of
from analyzer.uses.reference import dotted_module
from codemods.code.cuts import without
from codemods.code.dead_code import bound_names
from codemods.code.dead_expressions import StatementCut
from codemods.code.python_text import PythonText
from codemods.code.swept_file import tidied
from codemods.code.unused_names import used_names
from codemods.mentions import is_mentioned

if TYPE_CHECKING:
    from codemods.edits import Draft
    from codemods.plan import RetiredModule, RetirementPlan


def drop_unserved_classes(plan: RetirementPlan, draft: Draft) -> None:
    """Cut out each class that served only what is retired now, with what only it used.

    A class that anything else mentions, in whatever file, stays. Raises `UnreadableSource`, `BrokenEdit`.
    """
    for module in plan.modules:
        file = dotted_module(module.name).replace(".", "/") + ".py"
        if not module.files and draft.exists(file):
            _drop(module, file, draft)


def _drop(module: RetiredModule, file: str, draft: Draft) -> None:
    registry = registry_of(PythonText.of(draft.read(REGISTRY_FILE), REGISTRY_FILE).module)
    serving = {entry.class_name for entry in registry.live_entries() if entry.module == module.name}
    idle = {e.class_name for a in module.architectures for e in a.entries if e.module == module.name} - serving
    before = source = PythonText.of(draft.read(file), file)
    for name in sorted(name for name in idle if name is not None):
        if name in used_names(source.module) or is_mentioned(name, draft, besides=(file, REGISTRY_FILE)):
            continue
        for statement in source.module.body:
            if bound_names(statement) == (name,):
                source = without(source, StatementCut(statement)) or source
                break
    if source.text != before.text:
        source = tidied(before, source, lambda name: is_mentioned(name, draft, besides=(file,)))
        draft.rewrite(file, source.encode(), f"classes of {', '.join(a.name for a in module.architectures)}")
