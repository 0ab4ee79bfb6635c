"""What a loop over layers carries besides hidden states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.stage_handover import StageHandover, read_stage_handover
from analyzer.source.classes import ClassResolver
from analyzer.source.source_tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = "for layer in self.layers:\n    x = layer(x, mask, positions=self.rotary(inputs_embeds, positions))"


def handover(folder: Path, body: str) -> StageHandover:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    (folder / "model.py").write_text(
        "class Model:\n"
        "    def own(self, tokens, states=None):\n        return tokens\n\n"
        f"    def forward(self, input_ids, inputs_embeds=None):\n{lines}        return x\n"
    )
    resolver = ClassResolver(SourceTree(folder))
    source = resolver.find_class("model.py", "Model")
    assert source is not None
    return read_stage_handover(resolver, source, ["layers"])


@pytest.mark.parametrize(
    "body",
    [
        PLAIN,
        "mask = make_mask(inputs_embeds)\nx = inputs_embeds\n" + PLAIN,
        "mask = self.own(mask, inputs_embeds)\n" + PLAIN,
        "positions = {}\nfor kind in kinds:\n    positions[kind] = self.rotary(x)\n" + PLAIN,
        "for layer in self.layers:\n    out = layer(x)\n    x = out[0] if isinstance(out, tuple) else out",
        "for layer in self.layers:\n    x = layer(x)\n    shape = mask[0]",
        "for other in self.blocks:\n    x = other(x)[0]",
        "for i in range(len(self.layers)):\n    x = self.layers[i](hidden_states=x)",
        "for layer in self.layers:\n    x = layer(x).to(layer.type)",
        "for layer in self.layers:\n    if self.training:\n        x = run(layer.attn, x)\n    x = layer(x)",
    ],
)
def test_hidden_states_alone(tmp_path: Path, body: str) -> None:
    assert handover(tmp_path, body) == StageHandover()


@pytest.mark.parametrize(
    "body",
    [
        "for layer in self.layers:\n    x = layer(x)[0]",
        "for layer in self.layers:\n    out = layer(x)\n    x = out[0]",
        "for layer in self.layers:\n    x, _ = layer(x)",
        "for i, layer in enumerate(self.layers):\n    x, weights = layer(x)",
        "for i in range(len(self.layers)):\n    x = self.layers[i](x)[0]",
    ],
)
def test_what_is_taken_apart(tmp_path: Path, body: str) -> None:
    assert handover(tmp_path, body).taken_apart is not None


@pytest.mark.parametrize(
    "body",
    [
        "for layer in self.layers:\n    x = layer(x, masks[layer.kind])",
        "for i, layer in enumerate(self.layers):\n    if layer.kind == 'a':\n        x = layer(x)",
    ],
)
def test_what_a_layer_is_asked_for(tmp_path: Path, body: str) -> None:
    assert [name for name, _ in handover(tmp_path, body).asked][:1] == ["kind"]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("extra = self.own(input_ids)\nfor layer in self.layers:\n    x = layer(x, extra)", "extra"),
        ("a = self.own(input_ids)\nb = self.own(a)\nfor layer in self.layers:\n    x = layer(x, b)", "b"),
        ("first = inputs_embeds.clone()\nfor layer in self.layers:\n    x = layer(x, first)", "first"),
        ("first = torch.clone(inputs_embeds)\nfor layer in self.layers:\n    x = layer(x, first=first)", "first"),
        ("e = inputs_embeds * 2\nfor i, layer in enumerate(self.layers):\n    p = e[i]\n    x = layer(x, p)", "e"),
        ("for layer in self.layers:\n    x = layer(x, input_ids)", "input_ids"),
        ("for layer in self.layers:\n    x = layer(hidden_states=x, embeds=inputs_embeds)", "inputs_embeds"),
    ],
)
def test_what_is_made_of_the_input(tmp_path: Path, body: str, name: str) -> None:
    found = handover(tmp_path, body)
    assert [variable for variable, _ in found.made_of_input] == [name]
    assert found.taken_apart is None


@pytest.mark.parametrize("empty", ["{}", "dict()", "collections.defaultdict()", "kwargs.pop('kept', UserDict())"])
def test_a_dictionary_that_layers_share(tmp_path: Path, empty: str) -> None:
    found = handover(tmp_path, f"kept = {empty}\nfor layer in self.layers:\n    x = layer(x, kept=kept)")
    assert [variable for variable, _ in found.shared] == ["kept"]


def test_no_loop_and_no_forward(tmp_path: Path) -> None:
    assert handover(tmp_path, "x = self.layers(inputs_embeds)") == StageHandover()
    (tmp_path / "model.py").write_text("class Model: ...\n")
    resolver = ClassResolver(SourceTree(tmp_path))
    source = resolver.find_class("model.py", "Model")
    assert source is not None
    assert read_stage_handover(resolver, source, ["layers"]) == StageHandover()
