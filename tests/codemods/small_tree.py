"""Small engine trees for the tests of the codemods, and plans for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.registry import REGISTRY_FILE, read_registry
from analyzer.source.source_tree import SourceTree
from codemods.plan import Migrate, RetiredArchitecture, RetiredModule, RetirementPlan

if TYPE_CHECKING:
    from pathlib import Path

    from codemods.edits import Draft
    from codemods.plan import Outcome
    from rules.findings import Capability

REGISTRY = """\
# A registry
_TEXT_GENERATION_MODELS = {
    # [Decoder-only]
    "AppleForCausalLM": ("apple", "AppleForCausalLM"),
    # pear 7b, upper case
    "PearForCausalLM": ("pear", "PearForCausalLM"),  # PearChat
    # the rest

    "PlumForCausalLM": (
        "plum",  # sour
        "PlumForCausalLM",
    ),  # noqa: E501
    "QuinceForCausalLM": ("quince", "QuinceForCausalLM"),
}

_EMBEDDING_MODELS = {
    "PearForCausalLM": ("pear", "PearForCausalLM"),
    **{k: (m, a) for k, (m, a) in _TEXT_GENERATION_MODELS.items() if a == "x"},
}

_TRANSFORMERS_SUPPORTED_MODELS = {
    # Text generation models
    "BananaForCausalLM": ("transformers", "TransformersForCausalLM"),
    "Peach2ForCausalLM": ("transformers", "TransformersForCausalLM"),
    # Multimodal models
    "FigForConditionalGeneration": (
        "transformers",
        "TransformersMultiModalForCausalLM",
    ),
}

_TRANSFORMERS_BACKEND_MODELS = {
    # Text generation models
    "TransformersForCausalLM": ("transformers", "TransformersForCausalLM"),
    # Multimodal models
    "TransformersMultiModalForCausalLM": (
        "transformers",
        "TransformersMultiModalForCausalLM",
    ),
    # Embedding models
    "TransformersEmbeddingModel": ("transformers", "TransformersEmbeddingModel"),
}

_VLLM_MODELS = {
    **_TEXT_GENERATION_MODELS,
    **_EMBEDDING_MODELS,
    **_TRANSFORMERS_SUPPORTED_MODELS,
    **_TRANSFORMERS_BACKEND_MODELS,
}

_PREVIOUSLY_SUPPORTED_MODELS = {
    "CherryForCausalLM": "0.1.0",
    # in order of time
    "AlmondForCausalLM": "0.2.0",
}

_OOT_SUPPORTED_MODELS = {
    "DateModel": "https://example.org/date-plugin",
}
"""

TEXT = Migrate("TransformersForCausalLM")
MULTIMODAL = Migrate("TransformersMultiModalForCausalLM")


def write_tree(folder: Path, files: dict[str, str | bytes]) -> SourceTree:
    for file, content in files.items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return SourceTree(folder)


def retired(
    name: str,
    outcome: Outcome = TEXT,
    *,
    tree: SourceTree | None = None,
    lora: bool = False,
    pipeline_parallel: bool = False,
    checkpoints: tuple[str, ...] = (),
    losses: tuple[Capability, ...] = (),
) -> RetiredArchitecture:
    entries = read_registry(tree).bespoke_entries() if tree is not None else ()
    of_name = tuple(entry for entry in entries if entry.architecture == name)
    return RetiredArchitecture(name, of_name, outcome, checkpoints, lora, pipeline_parallel, losses)


def plan_of(
    *architectures: RetiredArchitecture, files: tuple[str, ...] = (), skip_docs: bool = False
) -> RetirementPlan:
    return RetirementPlan((RetiredModule("pear", files, architectures),), skip_docs)


def registry_tree(folder: Path, registry: str | bytes = REGISTRY) -> SourceTree:
    return write_tree(folder, {REGISTRY_FILE: registry})


def drafted(draft: Draft, file: str) -> str:
    return draft.read(file).decode()
