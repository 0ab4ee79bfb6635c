"""The rule `attention-interface`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION, MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.locations import Location
    from analyzer.release.hugging_face_model import HuggingFaceModel

ENGINE_IMPLEMENTATION = "vllm"
"""The name under which the backend registers its attention (`base.py` of every release from 0.11 to 0.33)."""


class AttentionInterface(Rule):
    """Whether every attention module of the model hands its work to the attention interface.

    **What it does.** Follows the modules that the base model builds, and looks in each that computes attention
    for a call of what was looked up in `ALL_ATTENTION_FUNCTIONS`. A class chosen from a dictionary by
    `config._attn_implementation` cannot be built with an implementation that the dictionary does not know.

    **Why.** The backend registers an implementation of its own, which owns the KV cache. A module that computes
    attention by itself never reaches it: vLLM 0.33 raises, earlier releases ran without a cache and were wrong
    in silence (Bloom), or failed with a `KeyError` while building (Falcon, GPT-J up to Transformers 5.20).
    The class's flag `_supports_attention_backend` is asked on fallback and with `--model-impl transformers`
    only, not for an architecture that the registry lists, so the flag alone decides nothing here: GPTBigCode
    was moved without it.

    **How to mend.** Let the Hugging Face attention module dispatch through the interface, as GPT-J does since
    its rewrite, and judge against the release that has it.
    """

    code = "attention-interface"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(
            modeling=changed(
                changed(
                    MODELING,
                    "ALL_ATTENTION_FUNCTIONS.get_interface(self.config._attn_implementation, eager)",
                    "None",
                ),
                "output, _ = attention_interface(self, query, key, value, attention_mask, scaling=1.0, **kwargs)",
                "output = torch.softmax(query @ key.transpose(2, 3), dim=-1) @ value",
            )
        ),
        Snippet(
            modeling=changed(
                MODELING,
                "self.self_attn = ToyAttention(config, layer_idx)",
                "self.self_attn = TOY_CLASSES[config._attn_implementation](config, layer_idx)",
            )
            + '\nTOY_CLASSES = {"eager": ToyAttention}\n'
        ),
        Snippet(
            modeling=changed(
                MODELING, "self.self_attn = ToyAttention(config, layer_idx)", "self.self_attn = nn.Identity()"
            ),
            configuration=f'{CONFIGURATION}    sub_configs = {{"text_config": AutoConfig}}\n',
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for modules that keep attention to themselves, unproven where it cannot be read; notes the flag."""
        model = subject.model
        if model is None:
            return
        blocked = list(self._blocked(model))
        yield from blocked
        if not blocked and not model.declares_attention_backend:
            yield self.finding(
                Level.NOTE,
                "its Hugging Face class does not set _supports_attention_backend; an architecture that the registry "
                "lists is not asked for the flag, and its attention does dispatch",
                model.head,
                "",
            )

    def _blocked(self, model: HuggingFaceModel) -> Iterator[Finding]:
        for lookup in model.implementation_lookups:
            if ENGINE_IMPLEMENTATION not in lookup.known:
                yield self.finding(
                    Level.BLOCKS,
                    f"the model cannot be built with the engine's attention: {lookup.dictionary} knows only "
                    f"{', '.join(lookup.known) or 'what cannot be read'}",
                    lookup.location,
                    "Let the Hugging Face class dispatch through ALL_ATTENTION_FUNCTIONS.",
                )
        told: set[Location] = set()
        for module in model.attention:
            if module.own_computation is not None and module.own_computation not in told:
                told.add(module.own_computation)
                yield self.finding(
                    Level.BLOCKS,
                    f"{module.name} computes attention by itself instead of through ALL_ATTENTION_FUNCTIONS",
                    module.own_computation,
                    "Let the Hugging Face class dispatch through ALL_ATTENTION_FUNCTIONS.",
                )
        if not model.attention and not model.plan_readable:
            yield self.finding(
                Level.UNPROVEN,
                f"the checkpoint names the language model of {model.configuration_class}: its attention cannot be read",
                model.configuration,
                self.smoke(model),
            )
        elif not model.attention and model.names_interface:
            yield self.finding(
                Level.UNPROVEN,
                f"the file of {model.base_class} has ALL_ATTENTION_FUNCTIONS, and reading finds no attention module "
                "that dispatches through it",
                model.base,
                self.smoke(model),
            )
        elif not model.attention:
            yield self.finding(
                Level.BLOCKS,
                f"{model.base_class} has no attention module that dispatches through ALL_ATTENTION_FUNCTIONS",
                model.base,
                "",
            )
