"""What attention modules hand over, and the configuration fields behind it."""

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

    from analyzer.release.attention_arguments import AttentionArgument

_INIT = "        self.layer_idx = layer_idx\n"
_CALL = "output, _ = attention_interface("


def arguments(folder: Path, modeling: str) -> dict[str, AttentionArgument]:
    source = HuggingFaceSource(write_release(folder, Snippet(modeling=modeling)), "5.0.0")
    model = read_hugging_face_model(source, "ToyForCausalLM")
    assert model is not None
    return {argument.name: argument for module in model.attention for argument in module.arguments}


def with_window(init: str, handed: str = "self.sliding_window") -> str:
    text = changed(MODELING, _INIT, f"{_INIT}{init}")
    return changed(text, "scaling=1.0, ", f"scaling=1.0, sliding_window={handed}, ")


def test_hands_over_a_mask_and_a_scale(tmp_path: Path) -> None:
    found = arguments(tmp_path, MODELING)
    assert set(found) == {"attention_mask", "scaling"}
    assert not found["attention_mask"].value.computed
    assert found["scaling"].value.source == "1.0"


@pytest.mark.parametrize(
    ("init", "handed", "fields", "compared", "computed"),
    [
        ("", "getattr(self.config, 'sliding_window', None)", {"sliding_window"}, set(), False),
        (
            "        self.sliding_window = config.window if config.layer_types[layer_idx] == 'local' else None\n",
            "self.sliding_window",
            {"window", "layer_types"},
            {"local"},
            False,
        ),
        (
            "        kind = config.layer_types[layer_idx]\n        self.is_local = kind == 'local'\n"
            "        self.sliding_window = config.sliding_window + 1\n",
            "self.sliding_window if self.is_local else None",
            {"sliding_window", "layer_types"},
            {"local"},
            True,
        ),
        (
            "        if config.layer_types[layer_idx] == 'local':\n"
            "            self.sliding_window = config.sliding_window\n        else:\n"
            "            self.sliding_window = None\n",
            "self.sliding_window",
            {"sliding_window", "layer_types"},
            {"local"},
            False,
        ),
    ],
)
def test_follows_attributes_to_the_configuration(
    tmp_path: Path, init: str, handed: str, fields: set[str], compared: set[str], computed: bool
) -> None:
    value = arguments(tmp_path, with_window(init, handed))["sliding_window"].value
    assert (set(value.fields), set(value.compared), value.computed) == (fields, compared, computed)


def test_leaves_out_none(tmp_path: Path) -> None:
    assert "sliding_window" not in arguments(tmp_path, with_window("", "None"))


@pytest.mark.parametrize(
    ("before", "computed"),
    [
        ("attention_mask = attention_mask & self.index(query)", True),
        ("attention_mask = self.mask_of(query)", True),
        ("attention_mask = encoder_attention_mask", False),
        ("attention_mask = attention_mask[:, :4]", False),
        ("attention_mask = masks.get('causal')", False),
    ],
)
def test_tells_a_mask_of_its_own(tmp_path: Path, before: str, computed: bool) -> None:
    text = changed(MODELING, _CALL, f"{before}\n        {_CALL}")
    assert arguments(tmp_path, text)["attention_mask"].value.computed is computed
