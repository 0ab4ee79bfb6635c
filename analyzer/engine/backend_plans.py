"""Reads how the backend treats a model that has no parallel plan."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from analyzer.engine.backend_functions import every_in
from analyzer.locations import Location, location_of
from analyzer.source.classes import end_of_dotted_name

if TYPE_CHECKING:
    from analyzer.engine.backend_functions import Functions


class WithoutPlan(StrEnum):
    """What the backend does with a model that has no parallel plan."""

    RAISES = "raises"
    INFERS = "infers"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class PlanDemand:
    """How the backend treats a missing plan, and the line that decides."""

    without: WithoutPlan
    location: Location | None


def read_plan_demand(functions: Functions, plan: str) -> PlanDemand:
    """The branch taken without a plan: it raises, or it goes on and infers one."""
    for file, node in every_in(functions, ast.If):
        branch = _branch_without(node, plan)
        if branch is None:
            continue
        raising = next((s for s in branch if isinstance(s, ast.Raise)), None)
        if raising is not None:
            return PlanDemand(WithoutPlan.RAISES, location_of(raising, file))
        return PlanDemand(WithoutPlan.INFERS, location_of(branch[0], file))
    return PlanDemand(WithoutPlan.UNKNOWN, None)


def _branch_without(node: ast.If, plan: str) -> list[ast.stmt] | None:
    for part in node.test.values if isinstance(node.test, ast.BoolOp) else (node.test,):
        match part:
            case ast.UnaryOp(op=ast.Not(), operand=operand) if end_of_dotted_name(operand) == plan:
                return node.body
            case _ if end_of_dotted_name(part) == plan and node.orelse:
                return node.orelse
    return None
