"""The rule `latent-attention`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from analyzer.release.latent_attention import RANK
from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION, MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

_LAYER = "MLAAttention"
_EXPANDS = changed(
    MODELING,
    "    def forward(self, hidden_states, attention_mask=None, **kwargs):\n",
    "        self.kv_b_proj = nn.Linear(config.kv_lora_rank, config.hidden_size)\n\n"
    "    def expand(self, latent, rotated):\n"
    "        key, value = self.kv_b_proj(latent).chunk(2, dim=-1)\n"
    "        return torch.cat([key, rotated], dim=-1), value\n\n"
    "    def forward(self, hidden_states, attention_mask=None, **kwargs):\n",
)
_LATENT = f"{CONFIGURATION}    {RANK}: int = 16\n"


class LatentAttention(Rule):
    """Whether the engine knows that the model's attention keeps a latent.

    **What it does.** Where the backend hands latents to the engine's own layer (MLA), looks whether the model expands
    one in a method of its own, as the backend's fuser wants it, and whether its model type stands in the engine's
    list of those that keep one (`is_deepseek_mla`).

    **Why.** The backend goes by the configuration (`kv_lora_rank`), the size of a cached head goes by the list. Of a
    model type that the list leaves out the cache gets the size of a query head, for which no kernel is made: "Head
    dimension 64 is not supported by MLA" (MiniCPM3, Youtu and A.X-K2 on vLLM 0.32.0 with Transformers 5.19.0).

    **How to mend.** Add the model type to the engine's list.
    """

    code = "latent-attention"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=_EXPANDS, configuration=_LATENT.replace('"toy"', '"known_latent"'), backend="latent"),
        Snippet(modeling=_EXPANDS, configuration=_LATENT),
        Snippet(configuration=_LATENT, backend="latent"),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (Snippet(modeling=_EXPANDS, configuration=_LATENT, backend="latent"),)

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for a model type that the list leaves out."""
        model, listed = subject.model, subject.backend.latent_model_types
        if model is None or listed is None or _LAYER not in subject.backend.engine.names:
            return
        expands = model.latent_expansion
        if expands is not None and not model.fields.neutral(RANK) and listed.names.isdisjoint(model.model_types):
            yield self.finding(
                Level.BLOCKS,
                f"attention over a latent ({RANK}) is handed to the engine, whose list of such model types "
                f"({listed.location}) leaves {model.model_types[-1]} out: the cache gets heads of another size",
                expands,
                "Add the model type to the engine's list.",
            )
