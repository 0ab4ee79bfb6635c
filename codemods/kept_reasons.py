"""Why a place that names a retired model is left as it is, and what a person may have to do about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from analyzer.uses.mentions import MentionKind
from rules.findings import Capability

if TYPE_CHECKING:
    from collections.abc import Iterable

    from analyzer.uses.mentions import Mention, ModelNames

LOOK = "code that stays uses the name: look whether it is still needed"
REWRITE = "text, for a person to rewrite"
ANOTHER = "runs on the checkpoint: give it another one"
STILL_TESTED = "stays, and checks the backend from now on"
NOT_NEEDED = "nothing that runs needs it: take it away by hand"

OF_WHAT_IS_GONE = {
    MentionKind.TYPE_CHECKING_IMPORT: NOT_NEEDED,
    MentionKind.BUILT_BY_NAME: "builds the model by its architecture's name",
    MentionKind.OVERRIDE: "sets an architecture that is gone: give it another one",
    MentionKind.MODEL_TYPE: "compares a model type, which may be the type of a part of another model",
    MentionKind.TEST_PARAMETER: ANOTHER,
    MentionKind.TEST_REGISTRY: ANOTHER,
    MentionKind.DOCSTRING: REWRITE,
    MentionKind.COMMENT: "a comment, for a person to rewrite",
    MentionKind.DOCS_ROW: "a docs row on other models as well, for a person to rewrite",
    MentionKind.DOCS_PROSE: REWRITE,
    MentionKind.CI_PATH: "a rule of CI that names more than this model: look whether it is still needed",
    MentionKind.OTHER_LANGUAGE: "a copy in another language, for a person to look at",
    MentionKind.DATA: "data, for a person to look at",
}
OF_WHAT_IS_SERVED = {
    MentionKind.TEST_REGISTRY: STILL_TESTED,
    MentionKind.BUILT_BY_NAME: "builds the model by its architecture's name, and gets the backend's class",
    MentionKind.OVERRIDE: "sets the architecture, which now leads to the backend's class",
    MentionKind.MODEL_TYPE: "compares the model type: look whether that holds for the backend's class as well",
    MentionKind.TEST_PARAMETER: STILL_TESTED,
    MentionKind.CODE: "code that knows the architecture: look whether that holds for the backend's class as well",
    MentionKind.DOCSTRING: "text on a model that is still served",
    MentionKind.COMMENT: "a comment on a model that is still served",
    MentionKind.DOCS_ROW: "a docs row on a model that is still served",
    MentionKind.DOCS_PROSE: "text on a model that is still served",
    MentionKind.CI_PATH: "a rule of CI on a model that is still served",
    MentionKind.OTHER_LANGUAGE: "a copy in another language: the model is still served",
    MentionKind.DATA: "data on a model that is still served",
}
SIGNS_OF_A_TEST = {
    Capability.TENSOR_PARALLEL: re.compile(rb"tensor[-_]parallel|multi_gpu|tp_size"),
    Capability.LORA: re.compile(rb"enable_lora|LoRARequest"),
    Capability.QUANTIZATION: re.compile(rb"quantization="),
}
"""What a file of tests has in it that may test the capability."""


def loss_that_is_tested(mention: Mention, data: bytes, losses: Iterable[Capability]) -> str | None:
    """The reason where the file `data` may test something of the model that it loses."""
    for capability in losses:
        sign = SIGNS_OF_A_TEST.get(capability)
        if sign is not None and mention.location.file.startswith("tests/") and sign.search(data):
            return f"may test {capability}, which is lost: look whether it has to go"
    return None


def reason_to_keep(mention: Mention, gone: ModelNames) -> str:
    """The reason. `gone` has the names that mean nothing any more."""
    of_module = mention.name in gone.modules and mention.kind is not MentionKind.MODEL_TYPE
    of_type = mention.name in gone.model_types and mention.kind is MentionKind.MODEL_TYPE
    is_gone = of_module or of_type or mention.name in gone.texts
    return (OF_WHAT_IS_GONE if is_gone else OF_WHAT_IS_SERVED).get(mention.kind, LOOK)
