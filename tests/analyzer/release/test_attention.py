"""Attention modules: those that dispatch, and those that keep their attention to themselves."""

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

    from analyzer.release.attention import AttentionModule

LOOKUP = "attention_interface = ALL_ATTENTION_FUNCTIONS.get_interface(self.config._attn_implementation, eager)"
CALL = "output, _ = attention_interface(self, query, key, value, attention_mask, scaling=1.0, **kwargs)"


def attention(folder: Path, modeling: str) -> tuple[AttentionModule, ...]:
    source = HuggingFaceSource(write_release(folder, Snippet(modeling=modeling)), "5.0.0")
    model = read_hugging_face_model(source, "ToyForCausalLM")
    assert model is not None
    return model.attention


@pytest.mark.parametrize(
    "lookup",
    [
        LOOKUP,
        "attention_interface: Callable = ALL_ATTENTION_FUNCTIONS.get_interface('x', eager)",
        "attention_interface = ALL_ATTENTION_FUNCTIONS[self.config._attn_implementation]",
    ],
)
def test_dispatches(tmp_path: Path, lookup: str) -> None:
    (module,) = attention(tmp_path, changed(MODELING, LOOKUP, lookup))
    assert len(module.dispatches) == 1
    assert module.own_computation is None


def test_counts_every_dispatch(tmp_path: Path) -> None:
    (module,) = attention(tmp_path, changed(MODELING, CALL, f"{CALL}\n        {CALL}"))
    assert len(module.dispatches) == 2


@pytest.mark.parametrize(
    "own",
    [
        "output = torch.nn.functional.softmax(query @ key, dim=-1) @ value",
        "output = (query @ key).softmax(-1) @ value",
        "output = F.scaled_dot_product_attention(query, key, value)",
    ],
)
def test_computes_by_itself(tmp_path: Path, own: str) -> None:
    text = changed(changed(MODELING, LOOKUP, "pass"), CALL, own)
    (module,) = attention(tmp_path, text)
    assert module.dispatches == ()
    assert module.own_computation is not None


def test_computes_in_another_method(tmp_path: Path) -> None:
    text = changed(changed(MODELING, LOOKUP, "pass"), CALL, "output = self._attn(query, key, value)")
    method = "    def _attn(self, q, k, v):\n        return torch.softmax(q @ k, -1) @ v\n\n\nclass ToyLayer"
    (module,) = attention(tmp_path, changed(text, "class ToyLayer", method))
    assert module.own_computation is not None


def test_a_router_is_no_attention(tmp_path: Path) -> None:
    router = "class ToyRouter(nn.Module):\n    def forward(self, x):\n        return x.softmax(-1)\n\n\n"
    text = MODELING.replace("class ToyLayer", f"{router}class ToyLayer").replace(
        "        self.self_attn = ", "        self.gate = ToyRouter()\n        self.self_attn = "
    )
    assert [m.name for m in attention(tmp_path, text)] == ["ToyAttention"]


def test_a_class_is_attention_by_where_it_is_kept(tmp_path: Path) -> None:
    text = changed(changed(MODELING, LOOKUP, "pass"), CALL, "output = (query @ key).softmax(-1)")
    (module,) = attention(tmp_path, text.replace("ToyAttention", "ToyMixer"))
    assert module.name == "ToyMixer"


def test_a_wrapper_without_computation_is_none(tmp_path: Path) -> None:
    assert attention(tmp_path, changed(changed(MODELING, LOOKUP, "pass"), CALL, "output = query")) == ()
