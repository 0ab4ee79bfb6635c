"""The rule `attention-dispatch`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.rule import Rule, Snippet, Subject
from rules.snippets import CONFIGURATION, MODELING, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.attention import AttentionModule
    from analyzer.release.hugging_face_model import HuggingFaceModel

_READABLE = re.compile(r"self\.\w+|-?[\d.]+(e-?\d+)?")
"""What the backend's own check resolves of `scaling=`: a literal or an attribute of the module."""
CHECKED_BY = "AttentionFuser"
"""The backend's own check since vLLM 0.30: one module and one call for each layer, or it raises."""
_ATTENTION = "self.self_attn = ToyAttention(config, layer_idx)"
_OTHER = "self.mixer = nn.Conv1d(1, 1, 1)"
_INDEX = "self.layer_idx = layer_idx"
_TEST = "config.layer_types[layer_idx] == 'full_attention'"
_CHOICE = f"if {_TEST}:\n            {_ATTENTION}\n        else:\n            {_OTHER}"
_LOOP = "        for layer in self.layers:\n"
_CALL = "output, _ = attention_interface(self, query, key, value, attention_mask, scaling=1.0, **kwargs)"


class AttentionDispatch(Rule):
    """Whether each layer hands its work to attention once, and no layer works otherwise.

    **What it does.** Works out which kinds of layer the configuration has by default (`layer_types`), whether every
    layer class builds an attention module, and whether a layer builds more than one. In each attention module it
    counts the calls of the attention interface, and in the decoder the loops over its layers.

    **Why.** The backend allocates one attention with its cache for each layer. A layer of linear attention, a
    convolution or a recurrent block keeps a state of its own that the backend does not hold: vLLM 0.30 and later
    raise "Layer 0 (linear_attention) does not dispatch through the Transformers attention interface", earlier ones
    compute nonsense in silence. Two modules that attend in one layer (HrmText, cross attention) raise as well.

    **How to mend.** Keep the modeling file. Where only some checkpoints have such layers, `retire-model smoke` on
    one of them settles it.
    """

    code = "attention-dispatch"
    capability = Capability.LOAD
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(modeling=changed(MODELING, "scaling=1.0, ", "scaling=1.0, is_causal=False, ")),
        Snippet(modeling=changed(MODELING, _INDEX, f"{_INDEX}\n        self.is_causal: bool = False")),
        Snippet(
            modeling=changed(
                MODELING,
                "class ToyAttention(nn.Module):\n",
                "class ToyAttention(nn.Module):\n    is_causal = False\n\n",
            )
        ),
        Snippet(modeling=changed(MODELING, _ATTENTION, _CHOICE)),
        Snippet(
            modeling=changed(MODELING, _ATTENTION, _CHOICE),
            configuration=f'{CONFIGURATION}    layer_types: list[str] = ("full_attention", "conv")\n',
        ),
        Snippet(
            modeling=changed(
                MODELING, _ATTENTION, f"{_ATTENTION}\n        self.cross = ToyAttention(config, layer_idx)"
            ),
        ),
        Snippet(modeling=changed(MODELING, _LOOP, f"        for _ in range(2):\n    {_LOOP}    ")),
        Snippet(modeling=changed(MODELING, "in self.layers:", "in [*self.layers, *self.layers]:")),
        Snippet(modeling=changed(MODELING, _CALL, f"{_CALL}\n        {_CALL}")),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Blocks for layers without attention and for two attentions in one, unproven where checkpoints decide."""
        model = subject.model
        if model is None or not any(module.dispatches for module in model.attention):
            return
        yield from self._kinds(model)
        checked = CHECKED_BY in subject.backend.fusers
        if model.layers.sharing:
            yield self._weighed(
                f"more than one module attends in one layer: {', '.join(model.layers.sharing)}",
                self.finding(Level.BLOCKS, "", model.layers.location, ""),
                checked=checked,
            )
        if model.passes.again is not None:
            yield self._weighed(
                "the layers run more than once in one forward",
                self.finding(Level.BLOCKS, "", model.passes.again, ""),
                checked=False,
            )
        for module in model.attention:
            if len(module.dispatches) > 1:
                yield self._weighed(
                    f"{module.name} calls the attention interface {len(module.dispatches)} times",
                    self.finding(Level.BLOCKS, "", module.dispatches[1], ""),
                    checked=checked,
                )

            if checked and module.dispatches:
                yield from self._unfit(module)
            if not subject.generates or model.multimodal:
                continue
            if module.always_bidirectional:
                lost = self.finding(
                    Level.LOSES,
                    f"{module.name} sets is_causal to False, by which the backend takes the whole model for an encoder",
                    module.location,
                    "",
                )
                yield replace(lost, capability=Capability.ACCURACY)
            elif any(a.name == "is_causal" and a.value.source == "False" for a in module.arguments):
                lost = self.finding(
                    Level.LOSES,
                    f"{module.name} hands over is_causal=False, and the backend's attention stays causal",
                    module.location,
                    "",
                )
                yield replace(lost, capability=Capability.ACCURACY)

    def _unfit(self, module: AttentionModule) -> Iterator[Finding]:
        """What the backend's own check asks of a module besides."""
        if not module.has_layer_index:
            yield self.finding(
                Level.BLOCKS,
                f"{module.name} keeps no layer_idx, by which the backend finds the layer that it serves",
                module.location,
                "Let the Hugging Face class keep its layer's index.",
            )
        if not module.keeps_configuration:
            yield self.finding(
                Level.BLOCKS,
                f"{module.name} keeps no config, by which the backend tells that it dispatches to the engine",
                module.location,
                "Let the Hugging Face class keep its configuration.",
            )
        if module.scale_is_no_number:
            yield self.finding(
                Level.BLOCKS,
                f"{module.name} hands over a scale that is None or a tensor, and the backend takes a number only",
                module.location,
                "Let the Hugging Face class keep the scale as a number.",
            )
        for argument in module.arguments:
            if argument.name == "scaling" and not _READABLE.fullmatch(argument.value.source):
                yield self.finding(
                    Level.BLOCKS,
                    f"{module.name} hands over scaling={argument.value.source}, and the backend reads a number or an "
                    "attribute only",
                    argument.location,
                    "Let the Hugging Face class keep the scale as an attribute.",
                )

    def _kinds(self, model: HuggingFaceModel) -> Iterator[Finding]:
        layers = model.layers
        stateful = [k for k in layers.kinds if "linear" in k or "attention" not in k]
        if any("linear" in kind for kind in stateful) or (stateful and not layers.all_attend):
            yield self.finding(
                Level.BLOCKS,
                f"layers of type {', '.join(stateful)} do not dispatch to attention, and the backend keeps no state "
                "for them",
                layers.location,
                "",
            )
        elif stateful:
            lost = self.finding(
                Level.LOSES,
                f"layers of type {', '.join(stateful)} keep a state beside attention, which the backend does not hold: "
                "decoding is wrong",
                layers.location,
                "",
            )
            yield replace(lost, capability=Capability.ACCURACY)
        elif not layers.all_attend:
            yield self.finding(
                Level.UNPROVEN,
                "some layers can be built without attention, which the configuration of a checkpoint decides",
                layers.location,
                self.smoke(model),
            )

    def _weighed(self, message: str, finding: Finding, *, checked: bool) -> Finding:
        """A backend that checks refuses to start; one that does not computes something else."""
        if checked:
            return replace(finding, message=f"{message}, and this backend wants one")
        return replace(
            finding,
            message=f"{message}, and this backend has one cache for them",
            capability=Capability.ACCURACY,
            level=Level.LOSES,
            remedy="",
        )
