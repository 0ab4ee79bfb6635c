"""The rule `hard-coded-heads`."""

from __future__ import annotations

from typing import ClassVar

from rules.rule import Snippet
from rules.sharding import Cause
from rules.sharding_rule import ShardingRule
from rules.snippets import MODELING, changed

_CALL = "output, _ = attention_interface(self, query, key, value, attention_mask, scaling=1.0, **kwargs)"
_INDEX = "        self.layer_idx = layer_idx\n"


def _wide(built: str, computed: str) -> str:
    modeling = changed(MODELING, _INDEX, f"{_INDEX}        self.wide = {built}\n")
    return changed(modeling, _CALL, f"query = {computed}\n        {_CALL}")


class HardCodedHeads(ShardingRule):
    """Whether a forward reshapes a sharded projection by a width that counts all heads.

    **What it does.** Follows each linear's output through the forward, and the functions of its file, to every
    `view`, `reshape`, `unflatten` and `rearrange`, and works out which attributes of the module grow with the number
    of heads. A linear counts as sharded where the plan or one of the backend's fusers shards it.

    A norm or a parameter of that width meets one rank's part as badly; only a norm by the root mean square is
    replaced by one that gathers, since vLLM 0.25.

    **Why.** On two ranks a sharded projection holds half of the heads. `view(bsz, q_len, self.num_heads,
    self.head_dim)` asks for all of them and fails, or with a `-1` elsewhere is wrong in silence first; `-1` in
    place of the number of heads fits any share. StableLM is one: on vLLM 0.32 two ranks fail with "shape
    '[1, 8, 4, 32]' is invalid for input of size 512"; OPT and BioGpt fail one layer later.

    **How to mend.** Write `-1` for the number of heads in the Hugging Face class.
    """

    code = "hard-coded-heads"
    cause = Cause.HEAD_COUNT
    remedy = "Write -1 for the number of heads in the Hugging Face class."
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=changed(MODELING, _CALL, f"query = query.view(1, -1, 16)\n        {_CALL}")),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            modeling=changed(
                MODELING, _CALL, f"query = query.unflatten(-1, (self.config.num_attention_heads, 16))\n        {_CALL}"
            )
        ),
        Snippet(
            modeling=changed(
                MODELING,
                _CALL,
                f"query = rearrange(query, 'b s (h d) -> b h s d', h=self.config.num_attention_heads)\n        {_CALL}",
            )
        ),
        Snippet(
            modeling=changed(
                MODELING, _CALL, f"query = split_heads(query, self.config.num_attention_heads)\n        {_CALL}"
            )
            + "\n\ndef split_heads(states, count):\n    return states.view(1, 8, count, -1)\n"
        ),
        Snippet(modeling=_wide("ToyNorm(config.num_attention_heads * 16)", "self.wide(query)")),
        Snippet(
            modeling=_wide(
                "nn.Parameter(torch.ones(config.num_attention_heads))", "query.view(1, 8, -1, 16) * self.wide[:, None]"
            )
        ),
        Snippet(
            modeling=changed(
                MODELING, _CALL, f"query = query.view(1, 8, self.config.num_attention_heads, -1)\n        {_CALL}"
            )
        ),
        Snippet(
            modeling=changed(
                MODELING, "return self.o_proj(output)", "return self.o_proj(output.view(1, 8, self.width))"
            ).replace(
                "        self.layer_idx = layer_idx\n",
                "        self.layer_idx = layer_idx\n        self.width = config.hidden_size\n",
            )
        ),
    )
