"""The rule `weight-mapping`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.engine.bespoke import BespokeClass
    from analyzer.engine.weight_loading import WeightRule
    from analyzer.release.hugging_face_model import HuggingFaceModel

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUANTIZATION = re.compile("scale|quant|_blocks")
_MOST_LISTED = 4
_EXPERTS = "expert"
"""Stacked weights of experts, which the backend's mixture of experts loads itself."""
_BESPOKE = """
class ToyForCausalLM(nn.Module, SupportsPP, SupportsLoRA, SupportsQuant, SupportsEagle, SupportsEagle3):
    {}
    def load_weights(self, weights):
        for name, loaded_weight in weights:
            {}
            self.load(name, loaded_weight)
"""


class WeightMapping(Rule):
    """Whether weights reach the Hugging Face model's parameters as they reached the hand-written ones.

    **What it does.** Reads the `hf_to_vllm_mapper` and the `load_weights` of the hand-written class for weights
    that it renames, leaves out, splits or transposes, and the Transformers release for what it declares of the
    same checkpoints: `conversion_mapping.py`, `_keys_to_ignore_on_load_unexpected`, `_tied_weights_keys`.

    **Why.** The backend applies the renamings that Transformers declares and drops what the class says is
    unexpected, but not the conversions: a projection that Transformers chunks on loading has no place. Every
    other weight must be called as the Hugging Face class calls it, or the loader stops ("There is no module or
    parameter named …"). Old checkpoints may have names that only the modeling file still knows. A weight that it
    permutes (rotary layouts, for one) is right on the backend only if the Hugging Face class means the same.

    **How to mend.** Add a renaming to the release's conversion mapping, or keep the modeling file; `retire-model smoke`
    on a real checkpoint settles the notes.
    """

    code = "weight-mapping"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(),
        Snippet(bespoke=_BESPOKE.format("", 'if "rotary_emb.inv_freq" in name:\n                continue')),
        Snippet(bespoke=_BESPOKE.format('hf_to_vllm_mapper = WeightsMapper(orig_to_new_prefix={"lm_head": "x"})', "")),
    )
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(bespoke=_BESPOKE.format("", 'if "old_buffer" in name:\n                continue')),
        Snippet(bespoke=_BESPOKE.format('hf_to_vllm_mapper = WeightsMapper(orig_to_new_substr={"gamma": "w"})', "")),
        Snippet(bespoke=_BESPOKE.format("", "loaded_weight = loaded_weight.transpose(0, 1)")),
        Snippet(
            bespoke=_BESPOKE.format("ties = config.tie_word_embeddings", ""),
            modeling=changed(
                MODELING, "    config: ToyConfig\n", "    config: ToyConfig\n    _tied_weights_keys = None\n"
            ),
        ),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for a conversion that the backend does not apply, notes for what the modeling file alone does."""
        model, bespoke = subject.model, subject.bespoke
        if model is None:
            return
        if not subject.backend.converts_weights:
            yield from self._converted(model)
        if bespoke is None:
            return
        # A multimodal class borrows towers, whose parameters are not looked for.
        rules = [
            rule
            for rule in bespoke.weight_loading.rules
            if not model.multimodal or rule.location.file == bespoke.location.file
            if not _known(rule, subject, model)
        ]
        yield from self._dropped([rule for rule in rules if rule.replacement is None], subject, model)
        yield from self._renamed([rule for rule in rules if rule.replacement is not None], model)
        yield from self._reshaped(model, bespoke)
        if subject.generates:
            yield from self._tied(model, bespoke)

    def _converted(self, model: HuggingFaceModel) -> Iterator[Finding]:
        language_model = model.model_types[-1:]
        for converted in model.checkpoint.conversions:
            if any(_EXPERTS in name for name in converted.sources + converted.targets):
                continue
            # What a composite model type converts may be a tower's, which a text checkpoint does not have.
            level = Level.NOTE if model.multimodal and converted.name not in language_model else Level.BLOCKS
            message = f"Transformers converts {', '.join(converted.sources)} of {converted.name} on loading"
            message = f"{message} ({', '.join(converted.operations)}), and the backend applies renamings only"
            yield self.finding(level, message, converted.location, "")
            return

    def _dropped(self, rules: list[WeightRule], subject: Subject, model: HuggingFaceModel) -> Iterator[Finding]:
        dropped = [
            rule
            for rule in rules
            if not any(_matches(pattern, rule.pattern) for pattern in model.checkpoint.ignored)
            if not any(ours in rule.pattern or rule.pattern in ours for ours in subject.backend.dropped_weights)
        ]
        if dropped:
            names = _listed([rule.pattern for rule in dropped])
            message = f"the modeling file leaves out {names}; the backend's loader stops at weights it does not know"
            yield self.finding(Level.NOTE, message, dropped[0].location, self.smoke(model))

    def _renamed(self, rules: list[WeightRule], model: HuggingFaceModel) -> Iterator[Finding]:
        if rules:
            names = _listed([f"{rule.pattern} to {rule.replacement or 'nothing'}" for rule in rules])
            message = f"the modeling file renames {names}; Transformers knows no such names"
            yield self.finding(Level.NOTE, message, rules[0].location, self.smoke(model))

    def _reshaped(self, model: HuggingFaceModel, bespoke: BespokeClass) -> Iterator[Finding]:
        own = bespoke.location.file
        reshaped = [r for r in bespoke.weight_loading.reshapings if not model.multimodal or r.location.file == own]
        if reshaped and not model.checkpoint.conversions:
            sources = _listed([r.source for r in reshaped])
            message = f"the modeling file changes weights on loading ({sources}), which the backend loads as they are"
            yield self.finding(Level.NOTE, message, reshaped[0].location, self.smoke(model))

    def _tied(self, model: HuggingFaceModel, bespoke: BespokeClass) -> Iterator[Finding]:
        ties = bespoke.weight_loading.ties
        if ties is None or ties.file != bespoke.location.file or model.checkpoint.tied:
            return
        if model.tied_embeddings is not True:
            message = "the modeling file can tie the output projection to the embedding, the Hugging Face class cannot"
            yield self.finding(Level.NOTE, message, ties, self.smoke(model))


def _listed(texts: list[str]) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(texts) - _MOST_LISTED} more" if len(texts) > _MOST_LISTED else ""
    return ", ".join(texts[:_MOST_LISTED]) + more


def _known(rule: WeightRule, subject: Subject, model: HuggingFaceModel) -> bool:
    """Whether the Hugging Face side has parameters or renamings with each of the pattern's words.

    The scales of quantized checkpoints are no parameters of it, and are the quantization's own affair.
    """
    known = model.words | model.checkpoint.words | {"model", subject.backend.head.name}
    return _QUANTIZATION.search(rule.pattern) is not None or known >= set(_WORD.findall(rule.pattern))


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return pattern in text
