"""The facts of a test on the backend, from the Hugging Face model and the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.errors import Refused
from analyzer.release.hugging_face_model import HuggingFaceModel, read_hugging_face_model
from codemods.test_files.backend_test import BackendTest, backend_test_of
from rules.rule import Snippet
from rules.snippets import CONFIGURATION, MODELING, PP_PLAN_LINES, changed
from tests.toy import assess_toy, open_toy

if TYPE_CHECKING:
    from pathlib import Path

    from rules.verdict import Judgement

FIELDS = """
    attribute_map = {"intermediate_size": "n_inner"}
    n_inner: int = 4096
    num_key_value_heads: int | None = None
    pad_token_id: int = 100000
    bos_token_id: int = 7
"""


def facts(folder: Path, snippet: Snippet | None = None) -> tuple[HuggingFaceModel, Judgement]:
    for name in ("facts", "verdict"):
        (folder / name).mkdir()
    _, source = open_toy(folder / "facts", snippet)
    model = read_hugging_face_model(source, "ToyForCausalLM")
    assert model is not None
    return model, assess_toy(folder / "verdict", snippet).judgement


def test_tiny_configuration(tmp_path: Path) -> None:
    model, judgement = facts(tmp_path, Snippet(configuration=CONFIGURATION + FIELDS))
    assert backend_test_of(model, judgement, generates=True) == BackendTest(
        "ToyForCausalLM",
        "toy",
        (
            ("vocab_size", 512),
            ("hidden_size", 128),
            ("n_inner", 256),
            ("num_hidden_layers", 4),
            ("num_attention_heads", 4),
            ("num_key_value_heads", 2),
            ("pad_token_id", 0),
        ),
        tensor_parallel=True,
        pipeline_parallel=True,
    )


def test_what_is_lost_is_not_tested(tmp_path: Path) -> None:
    model, judgement = facts(tmp_path, Snippet(configuration=changed(CONFIGURATION, PP_PLAN_LINES, "")))
    test = backend_test_of(model, judgement, generates=True)
    assert (test.tensor_parallel, test.pipeline_parallel) == (True, False)


def test_what_does_not_generate_text(tmp_path: Path) -> None:
    model, judgement = facts(tmp_path, Snippet(modeling=MODELING))
    with pytest.raises(Refused, match="no test can be written for ToyForCausalLM"):
        backend_test_of(model, judgement, generates=False)
