"""What a hand-written class does with weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.bespoke_parts import BespokePart
from analyzer.engine.weight_loading import WeightLoading, read_weight_loading
from tests.analyzer.sources import class_of, resolver_of

if TYPE_CHECKING:
    from pathlib import Path

TOY = """
class Toy:
    hf_to_vllm_mapper = WeightsMapper(
        orig_to_new_prefix={"vlm.": "model.", "tower.": None, **more}, orig_to_new_substr={dynamic: "x"}
    )

    def __init__(self, config):
        if config.tie_word_embeddings:
            self.lm_head = self.embed_tokens
        self.weight.transpose(0, 1)

    def load_weights(self, weights):
        loader = AutoWeightsLoader(
            self, skip_prefixes=(["lm_head."] if self.tied else None), ignore_unexpected_suffixes=[".bias"]
        )
        for name, loaded_weight in weights:
            if "inv_freq" in name or name.startswith("old."):
                continue
            if name.endswith(".bias") and name not in params:
                continue
            if "kept" in name:
                loaded_weight = loaded_weight.view(2, -1).transpose(0, 1)
            other.transpose(0, 1)
            name.split(".")
"""


def loading(root: Path) -> WeightLoading:
    resolver = resolver_of(root, {"toy.py": TOY})
    return read_weight_loading([BespokePart("toy.py", class_of(resolver, "toy.py", "Toy").node)])


def test_reads_what_is_renamed_and_dropped(tmp_path: Path) -> None:
    assert {rule.pattern: rule.replacement for rule in loading(tmp_path).rules} == {
        "vlm.": "model.",
        "tower.": None,
        "lm_head.": None,
        "inv_freq": None,
        "old.": None,
    }


def test_reads_what_is_reshaped_and_tied(tmp_path: Path) -> None:
    found = loading(tmp_path)
    assert [(r.operation, r.source) for r in found.reshapings] == [
        ("transpose", "loaded_weight.view(2, -1).transpose(0, 1)")
    ]
    assert str(found.ties) == "toy.py:8"
