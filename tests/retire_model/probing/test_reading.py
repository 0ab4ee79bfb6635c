"""The probe on real classes of the installed Transformers, and on releases that do not behave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from analyzer.errors import EnvironmentProblem
from retire_model.probe.process import Probe
from retire_model.probe.reading import NotBuilt, ProbeReading, parse

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.torch

ARCHITECTURES = (
    "LlamaForCausalLM",
    "Olmo2ForCausalLM",
    "GPT2LMHeadModel",
    "GraniteForCausalLM",
    "BloomForCausalLM",
    "BartForCausalLM",
    "MixtralForCausalLM",
    "NoSuchForCausalLM",
)


@pytest.fixture(scope="module")
def readings(probe_python: tuple[str, Path]) -> dict[str, ProbeReading | NotBuilt]:
    python, root = probe_python
    found = [parse(answer) for answer in Probe(python=python).run(root, ARCHITECTURES)]
    assert [f.architecture for f in found] == list(ARCHITECTURES)
    return {f.architecture: f for f in found}


def built(readings: dict[str, ProbeReading | NotBuilt], architecture: str) -> ProbeReading:
    found = readings[architecture]
    assert isinstance(found, ProbeReading), found
    return found


def test_a_model_with_both_plans(readings: dict[str, ProbeReading | NotBuilt]) -> None:
    found = built(readings, "LlamaForCausalLM")
    assert (found.base_class, found.configuration_class) == ("LlamaModel", "LlamaConfig")
    assert {(row.name, row.inputs, row.outputs, row.count) for row in found.linears} >= {
        ("layers.*.self_attn.q_proj", 128, 128, 4),
        ("layers.*.self_attn.k_proj", 128, 64, 4),
        ("layers.*.mlp.down_proj", 256, 128, 4),
    }
    assert all(row.style for row in found.linears)
    assert [(d.class_name, d.layer, d.calls) for d in found.attention] == [
        ("LlamaAttention", layer, 1) for layer in range(4)
    ]
    assert found.sharded is not None
    assert found.sharded.agrees, found.sharded.told
    assert found.sharded.difference != 0
    assert found.staged is not None
    assert found.staged.agrees, found.staged.told
    assert found.head is not None
    assert found.head.projection == "lm_head"


def test_a_plan_that_gathers_leaves_all_heads_to_each_rank(readings: dict[str, ProbeReading | NotBuilt]) -> None:
    sharded = built(readings, "Olmo2ForCausalLM").sharded
    assert sharded is not None
    assert "WrongHeadsError" in (sharded.error or "")


def test_transposed_linears_and_positions_that_are_added_twice(readings: dict[str, ProbeReading | NotBuilt]) -> None:
    found = built(readings, "GPT2LMHeadModel")
    assert ("GPT2Attention", "c_attn") in found.transposed_linears
    assert found.sharded is None
    assert found.staged is not None
    assert not found.staged.agrees


def test_a_multiplier_that_is_one_by_default_shows_in_two_stages(
    readings: dict[str, ProbeReading | NotBuilt],
) -> None:
    found = built(readings, "GraniteForCausalLM")
    assert dict(found.settings)["embedding_multiplier"] == "2.0"
    assert found.sharded is not None
    assert found.sharded.agrees, found.sharded.told
    assert found.staged is not None
    assert not found.staged.agrees


def test_attention_that_never_dispatches(readings: dict[str, ProbeReading | NotBuilt]) -> None:
    found = built(readings, "BloomForCausalLM")
    assert found.attention == ()
    assert "BloomAttention" in found.ran


def test_an_encoder_beside_the_decoder(readings: dict[str, ProbeReading | NotBuilt]) -> None:
    assert built(readings, "BartForCausalLM").base_class == "BartModel"


def test_a_mixture_of_experts(readings: dict[str, ProbeReading | NotBuilt]) -> None:
    found = built(readings, "MixtralForCausalLM")
    assert found.mixture_of_experts
    assert found.sharded is not None
    assert found.sharded.agrees


def test_a_class_that_the_release_lacks(readings: dict[str, ProbeReading | NotBuilt]) -> None:
    found = readings["NoSuchForCausalLM"]
    assert isinstance(found, NotBuilt)
    assert "has no class NoSuchForCausalLM" in found.reason


def test_too_little_memory(probe_python: tuple[str, Path]) -> None:
    python, root = probe_python
    (answer,) = Probe(python=python, memory=1).run(root, ["LlamaForCausalLM"])
    assert isinstance(parse(answer), NotBuilt)


def release(folder: Path, text: str) -> Path:
    (folder / "transformers").mkdir()
    (folder / "transformers/__init__.py").write_text(text)
    return folder


def run_release(probe_python: tuple[str, Path], folder: Path, text: str) -> list[dict[str, Any]]:
    return list(Probe(python=probe_python[0], seconds=5).run(release(folder, text), ["A"]))


def test_the_judged_release_comes_before_the_installed_one(probe_python: tuple[str, Path], tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise RuntimeError('nothing but transformers may come from here')")
    with pytest.raises(EnvironmentProblem, match="ImportError: the judged one"):
        run_release(probe_python, tmp_path, "raise ImportError('the judged one')")


@pytest.mark.parametrize(
    "text",
    [
        "import os; os._exit(0)",
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        "import os; os.closerange(3, 256); raise ImportError",
    ],
)
def test_a_release_that_ends_the_process(probe_python: tuple[str, Path], tmp_path: Path, text: str) -> None:
    (answer,) = run_release(probe_python, tmp_path, text)
    assert isinstance(parse(answer), NotBuilt)
