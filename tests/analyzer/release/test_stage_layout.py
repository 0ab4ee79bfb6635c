"""What a decoder does to the embedded input before its layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.hugging_face_model import read_hugging_face_model
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import write_release

if TYPE_CHECKING:
    from pathlib import Path

EMBEDDED = "        hidden_states = self.embed_tokens(input_ids)\n"
NORM = "        self.norm = nn.LayerNorm(config.hidden_size)\n"


def done(folder: Path, lines: str) -> tuple[str, ...]:
    children = f"{NORM}        self.drop = nn.Dropout(0.1)\n        self.wpe = nn.Embedding(8, 8)\n"
    text = changed(changed(MODELING, NORM, children), EMBEDDED, f"        inputs_embeds = self.wpe(input_ids)\n{lines}")
    source = HuggingFaceSource(write_release(folder, Snippet(modeling=text)), "5.0.0")
    model = read_hugging_face_model(source, "ToyForCausalLM")
    assert model is not None
    return model.stages.done_to_input


@pytest.mark.parametrize(
    "line",
    [
        "hidden_states = inputs_embeds * 8",
        "hidden_states = self.wpe(position_ids) + inputs_embeds",
        "hidden_states = self.norm(inputs_embeds)",
        "inputs_embeds *= 8",
    ],
)
def test_what_a_later_stage_may_do_again(tmp_path: Path, line: str) -> None:
    assert done(tmp_path, f"        {line}\n") == (line,)


def test_through_an_alias_and_a_dropout(tmp_path: Path) -> None:
    lines = "        x = inputs_embeds\n        y = self.drop(x)\n        hidden_states = y + 1\n"
    assert done(tmp_path, lines) == ("hidden_states = y + 1",)


@pytest.mark.parametrize("line", ["hidden_states = inputs_embeds", "length = input_ids + 1", "hidden_states = None"])
def test_nothing(tmp_path: Path, line: str) -> None:
    assert done(tmp_path, f"        {line}\n") == ()
