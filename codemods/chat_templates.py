"""Takes away chat templates that are named for a model which is given up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE, registry_of
from codemods.code.forget_code import forget_texts
from codemods.code.python_text import PythonText
from codemods.order import family_order, plain_name
from codemods.plan import Migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

FOLDERS = ("examples", "vllm/transformers_utils/chat_templates")
NAMED = re.compile(r"(?:tool_)?(?:chat_)?template_(?P<model>\w+)\.jinja")


def drop_chat_templates(plan: RetirementPlan, draft: Draft) -> None:
    """Delete the templates of models that no architecture is left of, and the entries that name them."""
    given_up = [m for m in plan.modules if not isinstance(m.architectures[0].outcome, Migrate)]
    if not given_up:
        return
    names = {plain for module in given_up for a in module.architectures for plain in _names(a.name)}
    names.update(plain_name(module.name) for module in given_up if module.files)
    for entry in registry_of(PythonText.of(draft.read(REGISTRY_FILE), REGISTRY_FILE).module).live_entries():
        names.difference_update((*_names(entry.architecture), plain_name(entry.module or "")))
    templates = list(_templates(names, draft)) if names else []
    if templates:
        forget_texts(frozenset(file.rpartition("/")[2] for file in templates), draft)
        for file in templates:
            draft.delete(file, "chat template of the retired model")


def _templates(names: set[str], draft: Draft) -> Iterator[str]:
    for folder in FOLDERS:
        for file in draft.tree.walk(folder, frozenset({".jinja"})):
            found = NAMED.fullmatch(file.rpartition("/")[2])
            if found is not None and plain_name(found["model"]) in names and draft.exists(file):
                yield file


def _names(architecture: str) -> tuple[str, ...]:
    return (plain_name(family_order(architecture)[0]),)
