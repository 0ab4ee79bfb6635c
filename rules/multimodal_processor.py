"""The rule `multimodal-processor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rules.findings import Capability, Finding, Level
from rules.interface_rule import InterfaceRule
from rules.offers import backend_offers, bespoke_offers
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.rule import Subject

_PARTS = 'class VisionConfig(PreTrainedConfig):\n    model_type = "toy_vision"\n\n\n'
_TEXT = 'class TextConfig(PreTrainedConfig):\n    model_type = "toy"\n\n\n'
_COMPOSITE = changed(
    CONFIGURATION,
    '    model_type = "toy"\n',
    '    model_type = "toy"\n    sub_configs = {"text_config": TextConfig, "vision_config": VisionConfig}\n',
)
_BESPOKE = """
class ToyInfo:
    def get_supported_mm_limits(self):
        return {"image": None, "audio": None}


class ToyForCausalLM(nn.Module, SupportsMultiModal, SupportsPP, SupportsLoRA):
    info = ToyInfo
"""


class MultimodalProcessor(InterfaceRule):
    """Whether images, video and sound can be given to the model before and after.

    **What it does.** Compares the multimodal interface of both classes and the kinds of input that each lists,
    and looks the model type up among the processors of the Transformers release.

    **Why.** The backend asks `AutoProcessor` for a processor and for its counts of tokens: a model type without
    one depends on what a checkpoint names, where the modeling file may have brought its own. Up to vLLM 0.27 the
    backend took images only, to 0.31 images and sound; a model whose configuration is not composite gets no
    multimodal class at all.

    **How to mend.** Judge against a later release of either (`--transformers`, `--engine`), or accept the loss
    (`--accept multimodal`).
    """

    code = "multimodal-processor"
    capability = Capability.MULTIMODAL
    what = "input other than text"
    VALID: ClassVar[tuple[Snippet, ...]] = (Snippet(),)
    INVALID: ClassVar[tuple[Snippet, ...]] = (
        Snippet(bespoke=_BESPOKE),
        Snippet(bespoke=_BESPOKE, configuration=_PARTS + _TEXT + _COMPOSITE),
    )

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Loses multimodal input for want of an interface, of a processor, or of a kind of input."""
        model, bespoke, backend_class = subject.model, subject.bespoke, subject.backend_class
        if model is None or bespoke is None or backend_class is None:
            return
        yield from super().check(subject)
        if not bespoke_offers(bespoke, self.capability) or not backend_offers(subject, self.capability):
            return
        if model.processor is None:
            message = f"Transformers names no processor for {model.model_types[0]}: the checkpoint must"
            yield self.finding(Level.NOTE, message, model.configuration, self.smoke(model))
        missing = sorted(bespoke.modalities - subject.backend.modalities)
        if missing:
            message = f"the modeling file takes {' and '.join(missing)}, and this backend does not"
            yield self.finding(Level.LOSES, message, bespoke.location, "Try a later engine.")
