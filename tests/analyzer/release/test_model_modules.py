"""Which classes building a model builds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.model_modules import ModelModules, read_model_modules
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import write_release

if TYPE_CHECKING:
    from pathlib import Path

BUILD = "self.self_attn = ToyAttention(config, layer_idx)"


def modules(folder: Path, modeling: str) -> ModelModules:
    source = HuggingFaceSource(write_release(folder, Snippet(modeling=modeling)), "5.0.0")
    found = source.find("ToyForCausalLM")
    assert found is not None
    return read_model_modules(source.resolver, found.base)


def names(found: ModelModules) -> set[str]:
    return {c.name for c in found.classes}


def test_follows_constructors(tmp_path: Path) -> None:
    assert names(modules(tmp_path, MODELING)) == {"ToyModel", "ToyLayer", "ToyAttention"}


@pytest.mark.parametrize(
    "build",
    [
        "self.self_attn = (ToyAttention if config.x else nn.Identity)(config, layer_idx)",
        "self.self_attn = KINDS[config.kind](config, layer_idx)",
        "kind = ToyAttention if config.x else nn.Identity\n        self.self_attn = kind(config, layer_idx)",
        "kind = kind\n        self.self_attn = ToyAttention(config, layer_idx)",
        "self.add_module('self_attn', ToyAttention(config, layer_idx))",
        "self.self_attn = ToyAttention._from_config(config)",
        "kinds = {1: ToyAttention}\n        kind = kinds[config.x]\n        self.self_attn = kind(config, layer_idx)",
    ],
)
def test_follows_choices(tmp_path: Path, build: str) -> None:
    text = changed(MODELING, BUILD, build) + '\nKINDS = {"a": ToyAttention, **{}}\n'
    assert "ToyAttention" in names(modules(tmp_path, text))


LISTED = "        self.layers = nn.ModuleList([ToyLayer(config, i) for i in range(config.num_hidden_layers)])\n"
LOOP = "for i in range(config.num_hidden_layers):\n            "
METHOD = "\n    def build(self, config):\n        {}\n\n    def forward(self, input_ids, position_ids"


@pytest.mark.parametrize(
    ("build", "method"),
    [
        ("self.layers = nn.ModuleList()\n        " + LOOP + "self.layers.append(ToyLayer(config, i))", ""),
        ("self.layers = nn.ModuleList()\n        self.layers.extend(ToyLayer(config, i) for i in range(2))", ""),
        (
            "found = []\n        "
            + LOOP
            + "found.append(ToyLayer(config, i))\n        self.layers = nn.ModuleList(found)",
            "",
        ),
        ("found = [ToyLayer(config, i) for i in range(2)]\n        self.layers = nn.ModuleList(found)", ""),
        ("self.layers = self.build(config)", "return nn.ModuleList([ToyLayer(config, i) for i in range(2)])"),
        (
            "self.layers = self.build(config)",
            "found = []\n        " + LOOP + "found.append(ToyLayer(config, i))\n        return nn.ModuleList(found)",
        ),
        ("self.layers = build(config)", ""),
    ],
)
def test_names_layers_by_the_list_that_they_end_in(tmp_path: Path, build: str, method: str) -> None:
    text = changed(MODELING, LISTED, f"        {build}\n")
    text += "\n\ndef build(config):\n    return nn.ModuleList([ToyLayer(config, i) for i in range(2)])\n"
    forward = "\n    def forward(self, input_ids, position_ids"
    text = changed(text, forward, METHOD.format(method)) if method else text
    found = modules(tmp_path, text)
    paths = {name: path for (_, name), path in found.path_of.items()}
    assert paths["ToyAttention"] == "layers.0.self_attn"


def test_follows_what_a_constructor_calls_of_its_class(tmp_path: Path) -> None:
    method = "    def make(self, config, layer_idx):\n        return ToyAttention(config, layer_idx)\n\n\n"
    text = changed(MODELING, BUILD, "self.self_attn = self.make(config, layer_idx)")
    assert "ToyAttention" not in names(modules(tmp_path / "a", text))
    text = changed(text, "\n\nclass ToyPreTrainedModel", f"\n{method}class ToyPreTrainedModel")
    assert "ToyAttention" in names(modules(tmp_path / "b", text))


def test_follows_inherited_constructors(tmp_path: Path) -> None:
    text = MODELING.replace("class ToyLayer(nn.Module):", "class ToyParent(nn.Module):").replace(
        "class ToyPreTrained", "class ToyLayer(ToyParent):\n    def forward(self, x): ...\n\n\nclass ToyPreTrained", 1
    )
    assert "ToyAttention" in names(modules(tmp_path, text))


def test_a_constructor_that_jumps_over_its_parent(tmp_path: Path) -> None:
    init = "    def __init__(self, config, layer_idx):\n        super(ToyLayer, self).__init__()\n\n\n"
    child = f"class ToyChild(ToyLayer):\n{init}"
    text = MODELING.replace("class ToyPreTrained", f"{child}class ToyPreTrained", 1).replace("[ToyLayer(", "[ToyChild(")
    assert "ToyAttention" not in names(modules(tmp_path, text))


def test_conv1d_is_the_one_of_pytorch_utils(tmp_path: Path) -> None:
    text = changed(MODELING, "self.o_proj = nn.Linear(", "self.o_proj = Conv1D(")
    (layer,) = modules(tmp_path, text).conv1d
    assert (layer.owner, layer.attribute) == ("ToyAttention", "o_proj")
    own = text.replace("from ...pytorch_utils import Conv1D\n", "class Conv1D(nn.Module): ...\n")
    assert modules(tmp_path / "own", own).conv1d == ()


def test_lookups_by_implementation(tmp_path: Path) -> None:
    text = changed(MODELING, BUILD, "self.self_attn = KINDS[config._attn_implementation](config, layer_idx)")
    (lookup,) = modules(tmp_path, text + '\nKINDS = {"eager": ToyAttention, "sdpa": ToyAttention}\n').lookups
    assert (lookup.dictionary, lookup.known) == ("KINDS", ("eager", "sdpa"))
    (unknown,) = modules(tmp_path / "unknown", text).lookups
    assert unknown.known == ()


def test_a_lookup_by_a_local_name_of_the_implementation(tmp_path: Path) -> None:
    build = 'name = "eager" if config.x else config._attn_implementation\n        self.self_attn = KINDS[name](config)'
    kinds = '\nKINDS = {"eager": ToyAttention}\n'
    (lookup,) = modules(tmp_path / "implementation", changed(MODELING, BUILD, build) + kinds).lookups
    assert lookup.known == ("eager",)
    other = changed(MODELING, BUILD, build.replace("_attn_implementation", "kind"))
    assert modules(tmp_path / "kind", other + kinds).lookups == ()
