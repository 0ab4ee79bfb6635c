"""Reads the tensor and pipeline parallel plans that a configuration class gives its base model.

Facts of Transformers 4.57 to 5.24: `base_model_tp_plan` and `base_model_pp_plan` on the configuration,
`_tp_plan` and `_pp_plan` on model classes. `PreTrainedModel.init_parallel_plans` gives the base model its
configuration's plan and adds the plans of its children.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.locations import Location, location_of
from analyzer.source.syntax import walk

if TYPE_CHECKING:
    from analyzer.source.classes import Attribute, ClassResolver, ClassSource


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """One pattern of a plan: the modules it names and the parallel style they get (empty in a pipeline plan)."""

    pattern: str
    style: str
    location: Location


@dataclass(frozen=True, slots=True)
class ParallelPlan:
    """A plan as far as it can be read."""

    entries: tuple[PlanEntry, ...]
    location: Location
    computed: bool
    """Part of it is built by code that reading alone does not follow."""

    @property
    def unread(self) -> bool:
        """Whether nothing of it is known, though it is there."""
        return self.computed and not self.entries


def read_plan(resolver: ClassResolver, configuration: ClassSource, name: str) -> ParallelPlan | None:
    """The plan that the class attribute `name` of a configuration holds; None where it has none."""
    attribute = resolver.attribute(configuration, name)
    if attribute is not None:
        plan = _from_attribute(resolver, attribute)
        if plan is not None:
            return plan
    return _set_on_instance(resolver, configuration, name)


def _from_attribute(resolver: ClassResolver, attribute: Attribute) -> ParallelPlan | None:
    value = attribute.value
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return None
    entries, computed = _entries(resolver, attribute.owner, value, depth=0)
    return ParallelPlan(tuple(entries.values()), attribute.location, computed)


def _entries(
    resolver: ClassResolver, owner: ClassSource, value: ast.expr, depth: int
) -> tuple[dict[str, PlanEntry], bool]:
    """The entries of a plan expression, and whether some of it could not be followed."""
    entries: dict[str, PlanEntry] = {}
    computed = False
    match value:
        case ast.Dict(keys=keys, values=values):
            for key, given in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    style = given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else ""
                    entries[key.value] = PlanEntry(key.value, style, location_of(key, owner.file))
                elif key is None:
                    inner, unclear = _entries(resolver, owner, given, depth)
                    entries |= inner
                    computed |= unclear
                else:
                    computed = True
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            for side in (left, right):
                inner, unclear = _entries(resolver, owner, side, depth)
                entries |= inner
                computed |= unclear
        case ast.Call(func=ast.Attribute(value=inner_value, attr="copy"), args=[]):
            return _entries(resolver, owner, inner_value, depth)
        case ast.Name(id=name) if depth < 8:
            # A name of the class body comes before one of the module.
            local = resolver.attribute(owner, name)
            if local is not None and local.value is not None and local.value is not value:
                return _entries(resolver, local.owner, local.value, depth + 1)
            found = resolver.resolve(owner.file, name)
            if found is not None and isinstance(found[1], ast.expr):
                return _entries(resolver, owner, found[1], depth + 1)
            computed = True
        case ast.Attribute(value=ast.Name(id=class_name), attr=attribute_name) if depth < 8:
            other = resolver.find_class(owner.file, class_name)
            found_attribute = resolver.attribute(other, attribute_name) if other else None
            if found_attribute is not None and found_attribute.value is not None:
                return _entries(resolver, found_attribute.owner, found_attribute.value, depth + 1)
            computed = True
        case _:
            computed = True
    return entries, computed


def _set_on_instance(resolver: ClassResolver, configuration: ClassSource, name: str) -> ParallelPlan | None:
    """A plan that a method of the configuration assigns to `self`.

    `PreTrainedConfig` itself adds the embedding to instances' plans (5.19 where tied, 5.24 always), but only to
    a plan that is there: what stands outside the model folders is not read.
    """
    for method in resolver.methods(configuration):
        if not method.owner.file.startswith("transformers/models/"):
            continue
        for node in walk(method.node):
            match node:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attr)], value=value):
                    if attr == name and not (isinstance(value, ast.Constant) and value.value is None):
                        entries, _ = _entries(resolver, method.owner, value, depth=0)
                        location = location_of(node, method.owner.file)
                        return ParallelPlan(tuple(entries.values()), location, computed=True)
    return None
