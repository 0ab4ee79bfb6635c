"""The rule `packed-projection`."""

from __future__ import annotations

from typing import ClassVar

from rules.rule import Snippet
from rules.sharding import Cause
from rules.sharding_rule import ShardingRule
from rules.snippets import CONFIGURATION, MODELING, TP_PLAN_LINES, changed

_SEPARATE = "query, key, value = self.q_proj(hidden_states), self.k_proj(hidden_states), self.v_proj(hidden_states)"
_PACKED = "query, key, value = self.q_proj(hidden_states).chunk(3, dim=-1)"


class PackedProjection(ShardingRule):
    """Whether query, key and value come from one packed projection that the backend cannot split by heads.

    **What it does.** Follows what attention is handed back to the linear it came from, and asks whether the plan or
    the backend's fuser for packed projections shards that linear by heads. The fuser takes only a `split` into
    three written sizes, called on the projection itself.

    **Why.** A packed projection that stays whole hands all heads to attention, which serves one rank's part of them.
    Phi3 and Dbrx fail that way on two ranks ("view size is not compatible with input tensor's size and stride").
    GPTBigCode, whose one key-value head cannot be split, was repaired weeks after its retirement.

    **How to mend.** Give the Hugging Face class separate projections, or write the split so that the fuser knows it.
    """

    code = "packed-projection"
    cause = Cause.PACKED
    remedy = "Give the Hugging Face class separate projections."
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            modeling=changed(MODELING, _SEPARATE, _PACKED), configuration=changed(CONFIGURATION, TP_PLAN_LINES, "")
        ),
    )
