"""Says on standard error which models have no docs row that could be moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.undocumented import find_undocumented
from retire_model.messages import complain

if TYPE_CHECKING:
    from analyzer.source.source_tree import SourceTree
    from codemods.plan import RetirementPlan

MOST_SHOWN = 3


def tell_missing_rows(plan: RetirementPlan, tree: SourceTree) -> None:
    """Say it for each architecture of `plan`. Raises `UnreadableSource`."""
    for missing in find_undocumented(tree, [architecture.name for architecture in plan.architectures]):
        places = ", ".join(map(str, missing.named[:MOST_SHOWN]))
        more = f" and {len(missing.named) - MOST_SHOWN} more" if len(missing.named) > MOST_SHOWN else ""
        complain(
            f"no docs row of {missing.architecture} was found: none is moved or taken out",
            f"It is named at {places}{more}: look whether that is a row, and mend it by hand." if places else "",
        )
