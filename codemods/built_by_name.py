"""Judges the models of the tree that build a retired one by the name of its architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import Refused
from codemods.kept_mentions import KeptKind
from codemods.plan import Migrate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codemods.kept_mentions import KeptMention
    from codemods.plan import RetirementPlan

ENGINE = "vllm/"


def refuse_built_by_name(plan: RetirementPlan, kept: Sequence[KeptMention]) -> None:
    """Raise `Refused` where a model that stays builds one that the engine gives up."""
    given_up = {a.name for a in plan.architectures if not isinstance(a.outcome, Migrate)}
    built = [m for m in kept if m.kind is KeptKind.BUILT_BY_NAME and m.name in given_up]
    needed = [mention for mention in built if mention.location.file.startswith(ENGINE)]
    if needed:
        lines = "".join(f"\n  {mention.location}  builds {mention.name} by its name" for mention in needed)
        names = ", ".join(sorted({mention.name for mention in needed}))
        raise Refused(f"other models are built on {names}:{lines}", "Retire these first, or together with it.")
