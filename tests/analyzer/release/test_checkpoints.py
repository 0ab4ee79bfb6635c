"""What a release declares of checkpoints, and which processors it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.checkpoints import MAPPING_FILE, CheckpointWeights, read_checkpoint_weights
from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.processors import read_processors
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import write_release

if TYPE_CHECKING:
    from pathlib import Path

MAPPING = """
_MODEL_TO_CONVERSION_PATTERN = {"toy": "father"}

def _build_checkpoint_conversion_mapping():
    mapping = {
        "father": [
            WeightRenaming("old_name", "q_proj"),
            WeightConverter(
                source_patterns=["a.weight", "b.weight"], target_patterns="c", operations=[Concatenate(dim=0), Odd]
            ),
        ],
        "stranger": [WeightConverter("x", "y", operations=[Chunk(dim=0)])],
        "legacy": [WeightRenaming(source_patterns="LayerNorm.gamma", target_patterns="LayerNorm.weight")],
    }
    mapping["ToyForCausalLM"] = [WeightConverter("p", ["q", "r"], operations=[Chunk(dim=0)])]
    return mapping
"""


def weights(folder: Path, mapping: str | None, modeling: str = MODELING) -> CheckpointWeights:
    root = write_release(folder, Snippet(modeling=modeling))
    if mapping is not None:
        (root / MAPPING_FILE).write_text(mapping)
    source = HuggingFaceSource(root, "5.0.0")
    classes = source.find("ToyForCausalLM")
    assert classes is not None
    return read_checkpoint_weights(source, classes)


def test_reads_conversions_of_the_type_its_alias_and_its_class(tmp_path: Path) -> None:
    found = weights(tmp_path, MAPPING)
    assert {(c.name, c.sources, c.targets, c.operations) for c in found.conversions} == {
        ("toy", ("a.weight", "b.weight"), ("c",), ("Concatenate",)),
        ("ToyForCausalLM", ("p",), ("q", "r"), ("Chunk",)),
    }
    assert {"old_name", "gamma", "p"} <= found.words
    assert "x" not in found.words


@pytest.mark.parametrize("mapping", [None, "def broken(:\n"])
def test_knows_nothing_without_a_readable_mapping(tmp_path: Path, mapping: str | None) -> None:
    assert weights(tmp_path, mapping).conversions == ()


def test_reads_what_the_classes_declare(tmp_path: Path) -> None:
    declared = '    config: ToyConfig\n    _keys_to_ignore_on_load_unexpected = [r"mtp\\.", other]\n'
    forward = "    def forward(self, input_ids, logits"
    tied = "    _tied_weights_keys = {'lm_head.weight': 'model.embed_tokens.weight'}\n"
    text = changed(changed(MODELING, "    config: ToyConfig\n", declared), forward, f"{tied}{forward}")
    found = weights(tmp_path, None, text)
    assert set(found.ignored) == {r"mtp\."}
    assert found.tied
    assert not weights(tmp_path / "other", None).tied


def test_reads_processors_in_both_places(tmp_path: Path) -> None:
    root = write_release(tmp_path)
    auto = root / "transformers/models/auto"
    (auto / "auto_mappings.py").write_text(
        'PROCESSOR_MAPPING_NAMES = OrderedDict([("toy", "ToyProcessor"), ("odd", 1)])\n'
    )
    (auto / "processing_auto.py").write_text(
        "if TYPE_CHECKING:\n    PROCESSOR_MAPPING_NAMES = OrderedDict()\nelse:\n"
        '    MISSING_PROCESSOR_MAPPING_NAMES = OrderedDict([("other", "ToyProcessor")])\n'
        'PROCESSOR_MAPPING_OF_TOYS = OrderedDict([("third", "ToyProcessor")])\n'
    )
    source = HuggingFaceSource(root, "5.0.0")
    assert read_processors(source.files) == {"toy": "ToyProcessor", "other": "ToyProcessor"}
    classes = source.find("ToyForCausalLM")
    assert classes is not None
    assert source.processor(classes.configuration) == "ToyProcessor"
