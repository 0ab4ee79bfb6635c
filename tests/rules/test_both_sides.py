"""Rules that compare the hand-written class with the Hugging Face one, where a snippet alone does not reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.model_names import BespokeModel
from analyzer.release.checkpoints import MAPPING_FILE
from analyzer.release.hugging_face import HuggingFaceSource
from rules.assessment import Assessor
from rules.findings import Capability, Level
from rules.rule import Snippet
from rules.snippets import BESPOKE, CONFIGURATION, MODELING, changed
from tests.toy import BASE_FILE, write_engine, write_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rules.findings import Finding
    from rules.verdict import Judgement

COMPOSITE = (
    'class TextConfig(PreTrainedConfig):\n    model_type = "toy"\n'
    "    sliding_window: int | None = 8\n    layer_types: list[str] | None = None\n\n\n"
    + changed(
        CONFIGURATION,
        '    model_type = "toy"\n',
        '    model_type = "toy"\n    sub_configs = {"text_config": TextConfig}\n',
    )
)
WINDOWED = changed(
    changed(
        MODELING,
        "        self.layer_idx = layer_idx\n",
        "        self.layer_idx = layer_idx\n        self.kind = config.layer_types[layer_idx]\n"
        "        self.sliding_window = config.sliding_window if self.kind == 'sliding_attention' else None\n",
    ),
    "scaling=1.0, ",
    "scaling=1.0, sliding_window=self.sliding_window, ",
)
MULTIMODAL = """
class ToyInfo:
    def get_supported_mm_limits(self):
        return {"image": None, "audio": None}


class ToyForCausalLM(nn.Module, SupportsMultiModal, SupportsPP, SupportsLoRA):
    info = ToyInfo
"""


def judgement(
    folder: Path,
    snippet: Snippet,
    engine: Callable[[Path], object] | None = None,
    release: Callable[[Path], object] | None = None,
) -> Judgement:
    engine_root, release_root = write_engine(folder, snippet), write_release(folder, snippet)
    if engine is not None:
        engine(engine_root)
    if release is not None:
        release(release_root)
    assessor = Assessor(open_engine_tree(engine_root), (HuggingFaceSource(release_root, "5.0.0"),))
    return assessor.assess(BespokeModel("toy", ("ToyForCausalLM",), whole=True)).judgements[0]


def told(found: Judgement, rule: str) -> list[Finding]:
    return [finding for finding in found.findings if finding.rule == rule]


@pytest.mark.parametrize("outer", [True, False])
def test_a_window_of_a_composite_model(tmp_path: Path, outer: bool) -> None:
    def engine(root: Path) -> None:
        if outer:
            path = root / BASE_FILE
            path.write_text(changed(path.read_text(), "if text_config.layer_types[i]", "if self.config.layer_types[i]"))

    found = told(judgement(tmp_path, Snippet(modeling=WINDOWED, configuration=COMPOSITE), engine), "sliding-window")
    assert [finding.level for finding in found] == [Level.LOSES] * outer


def test_modalities_and_processors(tmp_path: Path) -> None:
    snippet = Snippet(bespoke=MULTIMODAL, configuration=COMPOSITE)
    found = told(judgement(tmp_path, snippet), "multimodal-processor")
    assert [(finding.level, "audio" in finding.message) for finding in found] == [
        (Level.NOTE, False),
        (Level.LOSES, True),
    ]


def test_a_conversion_blocks_a_renaming_does_not(tmp_path: Path) -> None:
    def mapping(entry: str) -> Judgement:
        text = f'def build():\n    mapping = {{"toy": [{entry}]}}\n    return mapping\n'
        folder = tmp_path / str(len(entry))
        return judgement(folder, Snippet(), release=lambda root: (root / MAPPING_FILE).write_text(text))

    converted = mapping('WeightConverter("qkv", ["q_proj", "k_proj"], operations=[Chunk(dim=0)])')
    experts = mapping('WeightConverter("experts.*.w1", "experts.w", operations=[MergeModulelist(dim=0)])')
    assert [finding.level for finding in told(converted, "weight-mapping")] == [Level.BLOCKS]
    assert not converted.capabilities[Capability.LOAD].backend
    assert told(experts, "weight-mapping") == []
    assert told(mapping('WeightRenaming("query", "q_proj")'), "weight-mapping") == []


def test_a_backend_that_converts_blocks_nothing(tmp_path: Path) -> None:
    text = 'def build():\n    return {"toy": [WeightConverter("a", "b", operations=[Chunk(dim=0)])]}\n'

    def engine(root: Path) -> None:
        path = root / BASE_FILE
        path.write_text(path.read_text() + "\nfrom transformers.conversion_mapping import WeightConverter\n")

    def release(root: Path) -> None:
        (root / MAPPING_FILE).write_text(text)

    assert told(judgement(tmp_path, Snippet(), engine, release), "weight-mapping") == []


def test_other_defaults_of_the_engines_own_configuration(tmp_path: Path) -> None:
    def engine(root: Path) -> None:
        folder = root / "vllm/transformers_utils"
        (folder / "configs").mkdir(parents=True)
        (folder / "config.py").write_text('_CONFIG_REGISTRY = LazyConfigDict(toy="ToyConfig")\n')
        (folder / "configs/__init__.py").write_text(
            "class ToyConfig:\n    hidden_size: int = 32\n    vocab_size: int = 256\n    own: int = 1\n"
        )

    (found,) = told(judgement(tmp_path, Snippet(), engine), "config-drift")
    assert "hidden_size (32, in Transformers 64)" in found.message
    assert "vocab_size" not in found.message


def test_a_classification_head_that_the_backend_does_not_build(tmp_path: Path) -> None:
    rename = "ToyForTokenClassification"

    def engine(root: Path) -> None:
        registry = root / "vllm/model_executor/models/registry.py"
        registry.write_text(registry.read_text().replace("ToyForCausalLM", rename))

    snippet = Snippet(
        modeling=MODELING.replace("ToyForCausalLM", rename),
        bespoke=BESPOKE.replace("ToyForCausalLM", rename).replace("): ...", "):\n    is_pooling_model = True"),
    )
    engine_root, release_root = write_engine(tmp_path, snippet), write_release(tmp_path, snippet)
    engine(engine_root)
    assessor = Assessor(open_engine_tree(engine_root), (HuggingFaceSource(release_root, "5.0.0"),))
    found = assessor.assess(BespokeModel("toy", (rename,), whole=True)).judgements[0]
    assert [finding.level for finding in told(found, "pooling-task")] == [Level.LOSES]
