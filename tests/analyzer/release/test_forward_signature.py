"""What a model's forward takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.hugging_face_model import read_hugging_face_model
from rules.rule import Snippet
from rules.snippets import MODELING, changed
from tests.toy import write_release

if TYPE_CHECKING:
    from pathlib import Path

    from analyzer.release.forward_signature import ForwardSignature


def forwards(folder: Path, modeling: str) -> tuple[ForwardSignature, ...]:
    model = read_hugging_face_model(
        HuggingFaceSource(write_release(folder, Snippet(modeling=modeling)), "5.0.0"), "ToyForCausalLM"
    )
    assert model is not None
    return model.forwards


def test_of_the_base_model(tmp_path: Path) -> None:
    (forward,) = forwards(tmp_path, MODELING)
    assert (forward.class_name, forward.parameters) == ("ToyModel", ("input_ids", "position_ids"))


def test_of_a_decoder_that_it_keeps(tmp_path: Path) -> None:
    inner = (
        "class ToyDecoder(ToyPreTrainedModel):\n    def forward(self, input_ids, *, cache): ...\n\n\nclass ToyModel("
    )
    text = changed(MODELING, "class ToyModel(", inner)
    kept = "        self.norm = nn.LayerNorm(config.hidden_size)\n"
    base, decoder = forwards(tmp_path, changed(text, kept, f"{kept}        self.decoder = ToyDecoder(config)\n"))
    assert base.class_name == "ToyModel"
    assert decoder.parameters == ("input_ids", "cache")


def test_a_class_without_a_forward_has_none(tmp_path: Path) -> None:
    forward = MODELING[
        MODELING.index("    def forward(self, input_ids, position_ids") : MODELING.index("class ToyForCausalLM")
    ]
    assert forwards(tmp_path, changed(MODELING, forward, "\n")) == ()
