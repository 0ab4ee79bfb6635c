"""Judges the models of the tree that build a retired one by the name of its architecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import Refused
from analyzer.uses.mentions import MentionKind
from codemods.plan import Migrate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codemods.answered_mentions import AnsweredMention
    from codemods.plan import RetirementPlan


DESCRIBES = ("vllm/config/", "vllm/transformers_utils/")
"""Where a configuration names the architecture that it is of: that builds no other model."""


def refuse_built_by_name(plan: RetirementPlan, kept: Sequence[AnsweredMention]) -> None:
    """Raise `Refused` where a model that stays builds one that the engine gives up."""
    given_up = {a.name for a in plan.architectures if not isinstance(a.outcome, Migrate)}
    built = (k.mention for k in kept if k.mention.kind is MentionKind.BUILT_BY_NAME and k.mention.name in given_up)
    needed = [mention for mention in built if not mention.location.file.startswith(DESCRIBES)]
    if needed:
        lines = "".join(f"\n  {mention.location}  builds {mention.name} by its name" for mention in needed)
        names = ", ".join(sorted({mention.name for mention in needed}))
        raise Refused(f"other models are built on {names}:{lines}", "Retire these first, or together with it.")
