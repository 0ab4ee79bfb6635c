"""What a test of one architecture on the backend is made of: a tiny configuration, and what the verdict claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzer.errors import Refused
from rules.findings import Capability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.release.configuration_fields import ConfigurationFields
    from analyzer.release.hugging_face_model import HuggingFaceModel
    from rules.verdict import Judgement

VOCABULARY = 512
SIZES: dict[str, float] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "max_position_embeddings": 128,
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 64,
    "shared_expert_intermediate_size": 64,
    "initializer_range": 0.2,
}
"""Two ranks and two stages can share it; weights are so far from nought that what is wrong shows."""
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


@dataclass(frozen=True, slots=True)
class BackendTest:
    """The facts of one test file."""

    architecture: str
    model_type: str
    settings: tuple[tuple[str, float], ...]
    """Fields of the configuration, in the order in which they are written."""
    tensor_parallel: bool
    pipeline_parallel: bool


def backend_test_of(model: HuggingFaceModel, judgement: Judgement, *, generates: bool) -> BackendTest:
    """The test of a language model. Raises `Refused` for what is none, whose inputs nobody can make up."""
    if model.multimodal or not generates or not model.model_types:
        raise Refused(
            f"no test can be written for {model.architecture}: it is no language model of text alone",
            "Leave --with-tests out, and add a test by hand.",
        )
    return BackendTest(
        model.architecture,
        model.model_types[0],
        tuple(_settings(model.fields)),
        judgement.capabilities[Capability.TENSOR_PARALLEL].backend is True,
        judgement.capabilities[Capability.PIPELINE_PARALLEL].backend is True,
    )


def _settings(fields: ConfigurationFields) -> Iterator[tuple[str, float]]:
    own, defaults = dict(fields.aliases), dict(fields.defaults)
    for name, size in SIZES.items():
        # A field without a default of its own is made from others.
        if (field := own.get(name, name)) in defaults:
            yield field, size
    for name, token in TOKENS.items():
        default = defaults.get(name)
        if isinstance(default, int) and default >= VOCABULARY:
            yield name, token
