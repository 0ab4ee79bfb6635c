"""Takes away the rows of configurations that a retired package holds itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from analyzer.source.source_tree import parse_python
from analyzer.uses.reference import dotted_module
from codemods.code.dead_expressions import is_below
from codemods.code.forget_code import forget_file
from codemods.mentions import is_mentioned
from codemods.plan import Migrate
from codemods.support_files import CONFIGURATION_REGISTRY, CONFIGURATIONS, registered_types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from codemods.edits import Draft
    from codemods.plan import RetirementPlan

NAMES = f"{CONFIGURATIONS}/__init__.py"


def drop_own_configurations(plan: RetirementPlan, draft: Draft) -> None:
    """Drop the rows of configurations whose file goes with a module.

    They stay, and the module is refused, where something else uses the class, and where the backend is to serve the
    model and Transformers has no configuration for its type. Raises `UnreadableSource`, `BrokenEdit`.
    """
    gone = frozenset(dotted_module(module.name) for module in plan.modules if module.files)
    rows = dict(_rows(gone, draft)) if gone and draft.exists(NAMES) else {}
    given_up = all(not isinstance(a.outcome, Migrate) for a in plan.architectures)
    classes = frozenset(
        name
        for name in rows
        if (given_up or _is_provided(name, plan, draft))
        and not is_mentioned(name, draft, besides=(NAMES, CONFIGURATION_REGISTRY))
    )
    if classes:
        for file in filter(draft.exists, (NAMES, CONFIGURATION_REGISTRY)):
            forget_file(file, classes, frozenset(), draft, whole=True)


def _rows(gone: frozenset[str], draft: Draft) -> Iterator[tuple[str, str]]:
    """Each `(class, module)` that the table of configurations has below a module that is gone."""
    for node in ast.walk(parse_python(draft.read(NAMES), NAMES)):
        for key, value in zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ():
            match key, value:
                case ast.Constant(value=str() as name), ast.Constant(value=str() as module) if is_below(module, gone):
                    yield name, module


def _is_provided(name: str, plan: RetirementPlan, draft: Draft) -> bool:
    types = frozenset(registered_types(frozenset({name}), draft))
    return bool(types) and types <= plan.provided_model_types
