"""What the backend makes of attention's arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analyzer.engine.backend import read_backend
from analyzer.engine.engine_tree import open_engine_tree
from analyzer.errors import EnvironmentProblem
from analyzer.source.classes import ClassResolver
from rules.snippets import changed
from tests.toy import BASE_FILE, write_engine

if TYPE_CHECKING:
    from pathlib import Path

    from analyzer.engine.backend_attention import BackendAttention


def attention(root: Path, old: str = "", new: str = "") -> BackendAttention:
    if old:
        path = root / BASE_FILE
        path.write_text(changed(path.read_text(), old, new))
    engine = open_engine_tree(root)
    return read_backend(engine, ClassResolver(engine.files)).attention


def test_reads_parameters_fields_and_layer_types(tmp_path: Path) -> None:
    found = attention(write_engine(tmp_path))
    assert {"attention_mask", "scaling"} <= found.arguments
    assert "s_aux" not in found.arguments
    assert {"attn_logit_softcapping", "sliding_window", "layer_types"} <= found.fields
    assert found.layer_types == {"sliding_attention"}
    assert not found.reads_outer_configuration
    assert found.location is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scaling=None, **kwargs", "scaling=None, s_aux=None, **kwargs"),
        (
            "def vllm_attention",
            'def s_aux_of(call):\n    return [k for k in call if k.arg == "s_aux"]\n\n\ndef vllm_attention',
        ),
    ],
)
def test_knows_an_argument_as_a_parameter_or_by_looking_for_it(tmp_path: Path, old: str, new: str) -> None:
    assert "s_aux" in attention(write_engine(tmp_path), old, new).arguments


def test_a_function_that_is_not_registered_takes_nothing(tmp_path: Path) -> None:
    root = write_engine(tmp_path)
    found = attention(root, 'ALL_ATTENTION_FUNCTIONS["vllm"] = vllm_attention\n', "")
    assert "scaling" not in found.arguments


def test_reads_registration_by_a_method(tmp_path: Path) -> None:
    new = 'ALL_ATTENTION_FUNCTIONS.register("vllm", vllm_attention)\n'
    found = attention(write_engine(tmp_path), 'ALL_ATTENTION_FUNCTIONS["vllm"] = vllm_attention\n', new)
    assert "scaling" in found.arguments


def test_reads_the_outer_configuration(tmp_path: Path) -> None:
    found = attention(write_engine(tmp_path), "if text_config.layer_types[i]", "if self.config.layer_types[i]")
    assert found.reads_outer_configuration


def test_a_backend_without_such_a_function(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="no attention layers in"):
        attention(write_engine(tmp_path), "def create_attention_instances", "def something_new")
