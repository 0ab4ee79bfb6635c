"""Masks that a model builds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.release.attention_masks import read_masks
from tests.analyzer.sources import class_of, resolver_of

if TYPE_CHECKING:
    from pathlib import Path

MODEL = """
from ...masking_utils import create_causal_mask, create_chunked_causal_mask
from .other import create_patch_mask

class Model:
    def forward(self, x):
        masks = {"full": create_causal_mask(x), "chunked": create_chunked_causal_mask(x)}
        create_patch_mask(x)
        return create_causal_mask(x)
"""


def test_reads_each_kind_once(tmp_path: Path) -> None:
    resolver = resolver_of(tmp_path, {"modeling.py": MODEL})
    masks = read_masks(resolver, class_of(resolver, "modeling.py", "Model"))
    assert [mask.kind for mask in masks] == ["causal", "chunked_causal"]
    assert str(masks[1].location) == "modeling.py:7"
