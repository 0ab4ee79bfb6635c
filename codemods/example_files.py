"""Takes away examples that are about a model which is given up: clients of a server that serves nothing else."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE, registry_of
from analyzer.source.source_scan import files_mentioning
from analyzer.source.source_tree import parse_python
from codemods.code.gone import gone_with
from codemods.code.python_text import PythonText
from codemods.order import family_order, plain_name
from codemods.plan import Migrate

if TYPE_CHECKING:
    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

FOLDER = "examples"
SERVED = re.compile(r"\bvllm serve +([\w.-]+/[\w.-]+)")


def drop_examples(plan: RetirementPlan, draft: Draft) -> None:
    """Delete the examples whose documentation names the model first and has only its checkpoints served.

    An example of something else, which only happens to be shown with the model, wants another one and stays.
    """
    given_up = [a.name for a in plan.architectures if not isinstance(a.outcome, Migrate)]
    if not given_up:
        return
    live = registry_of(PythonText.of(draft.read(REGISTRY_FILE), REGISTRY_FILE).module).live_entries()
    families = {_family(name) for name in given_up} - {_family(entry.architecture) for entry in live}
    checkpoints = gone_with(plan, draft.tree).unmistakable if families else frozenset[str]()
    names = frozenset(checkpoint.encode() for checkpoint in checkpoints)
    there = draft.tree.locate(FOLDER).is_dir()
    for found, _ in files_mentioning(draft.tree.root / FOLDER, names) if names and there else ():
        file = f"{FOLDER}/{found}"
        if draft.exists(file) and _is_about(draft.read(file), file, families, checkpoints):
            draft.delete(file, "an example of nothing else")


def _is_about(data: bytes, file: str, families: set[str], checkpoints: frozenset[str]) -> bool:
    documentation = ast.get_docstring(parse_python(data, file)) or ""
    served = set(SERVED.findall(documentation))
    subject = {plain_name(word) for word in re.findall(r"[\w-]+", documentation.partition("\n\n")[0])}
    return bool(served) and served <= checkpoints and not families.isdisjoint(subject)


def _family(architecture: str) -> str:
    return plain_name(family_order(architecture)[0])
