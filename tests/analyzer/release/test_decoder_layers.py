"""The layers of a model, and whether each of them attends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.hugging_face_model import HuggingFaceModel, read_hugging_face_model
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, changed
from tests.toy import write_release

if TYPE_CHECKING:
    from pathlib import Path

BUILD = "self.self_attn = ToyAttention(config, layer_idx)"
TYPES = '    layer_types: list[str] = ("full_attention", "linear_attention", "full_attention")\n'


def read(folder: Path, modeling: str, configuration: str = CONFIGURATION) -> HuggingFaceModel:
    source = HuggingFaceSource(write_release(folder, Snippet(modeling=modeling, configuration=configuration)), "5.0.0")
    model = read_hugging_face_model(source, "ToyForCausalLM")
    assert model is not None
    return model


def test_a_plain_model(tmp_path: Path) -> None:
    layers = read(tmp_path, MODELING).layers
    assert (layers.kinds, layers.all_attend, layers.sharing) == ((), True, ())
    assert layers.location.file.endswith("modeling_toy.py")


def test_kinds_of_layers(tmp_path: Path) -> None:
    assert read(tmp_path, MODELING, CONFIGURATION + TYPES).layers.kinds == ("full_attention", "linear_attention")


@pytest.mark.parametrize(
    ("build", "all_attend"),
    [
        (f"if layer_idx:\n            {BUILD}\n        else:\n            self.conv = nn.Conv1d(1, 1, 1)", False),
        (f"if layer_idx:\n            {BUILD}\n        else:\n            {BUILD}", True),
        ("self.mixer = KINDS[layer_idx](config, layer_idx)", False),
        (f"if config.off:\n            self.conv = nn.Conv1d(1, 1, 1)\n        {BUILD}", True),
    ],
)
def test_whether_every_layer_attends(tmp_path: Path, build: str, all_attend: bool) -> None:
    other = 'class ToyMixer(nn.Module): ...\n\n\nKINDS = {"a": ToyAttention, "b": ToyMixer}\n'
    text = changed(MODELING, BUILD, build) + f"\n\n{other}"
    assert read(tmp_path, text).layers.all_attend is all_attend


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ("self.cross_attn = ToyAttention(config, layer_idx)", 2),
        ("if config.add_cross_attention:\n            self.cross_attn = ToyAttention(config, layer_idx)", 0),
        ("if not config.add_cross_attention:\n            self.cross_attn = ToyAttention(config, layer_idx)", 2),
    ],
)
def test_modules_that_share_a_layer(tmp_path: Path, more: str, count: int) -> None:
    text = changed(MODELING, BUILD, f"{BUILD}\n        {more}")
    sharing = read(tmp_path, text, f"{CONFIGURATION}    add_cross_attention: bool = False\n").layers.sharing
    assert len(sharing) == count


def test_stages(tmp_path: Path) -> None:
    stages = read(tmp_path, MODELING).stages
    assert (stages.children, stages.lists) == (("embed_tokens", "layers", "norm"), ("layers",))
    assert (stages.first_used_late, stages.last_used_early) == ((), ())


def test_a_list_without_weights_is_no_list_of_layers(tmp_path: Path) -> None:
    norm = "        self.norm = nn.LayerNorm(config.hidden_size)\n"
    more = "        self.rotary = nn.ModuleList()\n        self.rotary.append(ToyRotaryEmbedding(config))\n"
    assert read(tmp_path, changed(MODELING, norm, norm + more)).stages.lists == ("layers",)


@pytest.mark.parametrize(
    ("fields", "heads"), [("", None), ("    num_key_value_heads: int = 2\n", 2), ("    multi_query: bool = True\n", 1)]
)
def test_key_value_heads(tmp_path: Path, fields: str, heads: int | None) -> None:
    assert read(tmp_path, MODELING, CONFIGURATION + fields).key_value_heads == heads
