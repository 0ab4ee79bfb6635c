"""Attention over a latent, on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.release.latent_attention import read_latent_model_types
from tests.toy import write_engine

if TYPE_CHECKING:
    from pathlib import Path

FILE = "vllm/transformers_utils/model_arch_config_convertor.py"


def test_the_list_of_model_types(tmp_path: Path) -> None:
    found = read_latent_model_types(open_engine_tree(write_engine(tmp_path)).files)
    assert found is not None
    assert (found.names, str(found.location)) == (frozenset({"known_latent", "other_latent"}), f"{FILE}:2")


@pytest.mark.parametrize("text", ["", "def is_deepseek_mla(self):\n    return False\n", None])
def test_an_engine_without_a_list(tmp_path: Path, text: str | None) -> None:
    root = write_engine(tmp_path)
    if text is None:
        (root / FILE).unlink()
    else:
        (root / FILE).write_text(text)
    assert read_latent_model_types(open_engine_tree(root).files) is None
