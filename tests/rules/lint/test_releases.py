"""What `lint` finds in unchanged releases: leftovers of the engine's own, each looked at, and nothing else.

The docs row that 0.24.0 forgot when it removed a model, three keys of the test registry that no architecture has, and
the architectures that no page on supported models lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.source_tree import SourceTree
from analyzer.suppressions import Suppressions
from analyzer.tree_facts import TreeFacts
from rules.lint.catalogue import find_faults

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FAULTS = {
    "0.24.0": """
        dead-docs-row docs/models/supported_models.md:596 MiniMaxVL01ForConditionalGeneration
        dead-test-entry tests/models/registry.py:413 MiniCPM4ForCausalLM
        dead-test-entry tests/models/registry.py:913 GraniteVision
        dead-test-entry tests/models/registry.py:1437 DFlashQwen3NextDraftModel
        undocumented-architecture vllm/model_executor/models/registry.py:83 BaichuanForCausalLM
        undocumented-architecture vllm/model_executor/models/registry.py:122 GlmMoeDsaForCausalLM
        undocumented-architecture vllm/model_executor/models/registry.py:151 LagunaForCausalLM
        undocumented-architecture vllm/model_executor/models/registry.py:224 BgeM3EmbeddingModel
        undocumented-architecture vllm/model_executor/models/registry.py:270 PrithviGeoSpatialMAE
        undocumented-architecture vllm/model_executor/models/registry.py:271 Terratorch
        undocumented-architecture vllm/model_executor/models/registry.py:391 FunAudioChatForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:401 DiffusionGemmaForBlockDiffusion
        undocumented-architecture vllm/model_executor/models/registry.py:492 MiniCPMV4_6ForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:505 NemotronH_Nano_VL_V2
        undocumented-architecture vllm/model_executor/models/registry.py:506 NemotronH_Nano_Omni_Reasoning_V3
        undocumented-architecture vllm/model_executor/models/registry.py:507 NemotronH_Super_Omni_Reasoning_V3
        undocumented-architecture vllm/model_executor/models/registry.py:590 NemotronParseForConditionalGeneration
    """,
    "0.33.0": """
        dead-docs-row docs/models/supported_models.md:604 MiniMaxVL01ForConditionalGeneration
        dead-test-entry tests/models/registry.py:436 MiniCPM4ForCausalLM
        dead-test-entry tests/models/registry.py:952 GraniteVision
        dead-test-entry tests/models/registry.py:1542 DFlashQwen3NextDraftModel
        undocumented-architecture vllm/model_executor/models/registry.py:154 LagunaForCausalLM
        undocumented-architecture vllm/model_executor/models/registry.py:160 LongcatFlashNgramForCausalLM
        undocumented-architecture vllm/model_executor/models/registry.py:173 InklingForCausalLM
        undocumented-architecture vllm/model_executor/models/registry.py:174 InklingForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:211 Step5ForCausalLM
        undocumented-architecture vllm/model_executor/models/registry.py:223 BertForMaskedLM
        undocumented-architecture vllm/model_executor/models/registry.py:259 EmbeddingGemma2Model
        undocumented-architecture vllm/model_executor/models/registry.py:271 Terratorch
        undocumented-architecture vllm/model_executor/models/registry.py:371 CohereCompassForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:387 DeepseekV41ForCausalLM
        undocumented-architecture vllm/model_executor/models/registry.py:391 Dots3NoteForCausalLM
        undocumented-architecture vllm/model_executor/models/registry.py:414 FunAudioChatForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:437 Glm5NextForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:528 MiniCPMOcrForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:533 MiniCPMV4_6ForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:537 MiniCPMV4_7ForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:622 Qwen4ExpForConditionalGeneration
        undocumented-architecture vllm/model_executor/models/registry.py:644 NemotronParseForConditionalGeneration
    """,
}


@pytest.mark.release
@pytest.mark.parametrize("version", FAULTS)
def test_release(version: str, engine_release: Callable[[str], Path]) -> None:
    tree = SourceTree(engine_release(version))
    found = find_faults(TreeFacts(tree), Suppressions(tree))
    expected = [line.split() for line in FAULTS[version].strip().splitlines()]
    assert [[f.check, str(f.location)] for f in found] == [line[:2] for line in expected]
    for fault, (_, _, name) in zip(found, expected, strict=True):
        assert name in fault.message
