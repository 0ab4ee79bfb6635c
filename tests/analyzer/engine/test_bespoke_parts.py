"""What a hand-written class is made of, and what it calls of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.engine.bespoke_parts import BespokePart, read_bespoke_parts
from analyzer.engine.configuration_reads import read_configuration_reads
from analyzer.engine.engine_calls import read_engine_calls, read_engine_names
from analyzer.engine.modalities import read_modalities
from tests.analyzer.sources import class_of, resolver_of

if TYPE_CHECKING:
    from pathlib import Path

    from analyzer.source.classes import ClassResolver

MODELS = "vllm/model_executor/models"
FILES = {
    f"{MODELS}/toy.py": """
from torch import nn
from vllm import _custom_ops as ops
from vllm.config import CacheConfig
from vllm.model_executor.layers.attention import Attention
from vllm.model_executor.layers.linear import RowParallelLinear
from .interfaces import SupportsPP
from .other import Borrowed, Unused

def helper(config):
    return getattr(config, "optional", 1)

class Layer(nn.Module):
    def __init__(self, config, cache_config: CacheConfig):
        self.cap = config.score_cap
        self.kind = cache_config.kind
        self.attn = Attention(4, logits_soft_cap=self.cap, sinks=None)
        self.out = RowParallelLinear(config.hidden_size)
        if config.gated:
            self.gate = config.gate_size
        torch.ops.vllm.toy(config.pop("x"), config.__dict__)

    def forward(self, x):
        return ops.toy_norm(x)

class Info:
    def get_supported_mm_limits(self):
        return {"image": None, "audio": 1, "other": 2}

class ToyForCausalLM(nn.Module, SupportsPP):
    def __init__(self, config):
        self.layers = [Layer(config) for _ in range(helper(config))]
        self.borrowed = Borrowed(config)
        self.info = Info

class Apart:
    def of_the_engine(self, config: CacheConfig):
        return config.block_size
""",
    f"{MODELS}/other.py": "class Base: ...\nclass Borrowed(Base): ...\nclass Unused: ...\n",
    f"{MODELS}/interfaces.py": "class SupportsPP: ...\n",
}


def parts(root: Path) -> tuple[ClassResolver, tuple[BespokePart, ...]]:
    resolver = resolver_of(root, FILES)
    return resolver, read_bespoke_parts(resolver, class_of(resolver, f"{MODELS}/toy.py", "ToyForCausalLM"))


def test_follows_what_it_mentions_in_the_models_folder(tmp_path: Path) -> None:
    _, found = parts(tmp_path)
    assert [part.node.name for part in found] == ["ToyForCausalLM", "Borrowed", "Base", "Info", "Layer", "helper"]


def test_reads_engine_calls_with_the_fields_behind_their_settings(tmp_path: Path) -> None:
    calls = {call.name: call for call in read_engine_calls(*parts(tmp_path))}
    assert {name: call.module.removeprefix("vllm.model_executor.layers.") for name, call in calls.items()} == {
        "Attention": "attention",
        "RowParallelLinear": "linear",
        "torch.ops.vllm.toy": "torch.ops",
        "toy_norm": "vllm._custom_ops",
    }
    cap = calls["Attention"].argument("logits_soft_cap")
    assert cap is not None
    assert cap.fields == ("score_cap",)
    assert calls["Attention"].argument("sinks") is None
    assert calls["RowParallelLinear"].arguments == ()


def test_reads_configuration_fields(tmp_path: Path) -> None:
    resolver, found = parts(tmp_path)
    apart = class_of(resolver, f"{MODELS}/toy.py", "Apart")
    reads = read_configuration_reads([*found, BespokePart(apart.file, apart.node)])
    assert {read.field: read.required for read in reads} == {
        "optional": False,
        "score_cap": True,
        "hidden_size": True,
        "gated": True,
        "gate_size": False,
    }


def test_reads_modalities(tmp_path: Path) -> None:
    assert read_modalities(part.node for part in parts(tmp_path)[1]) == {"image", "audio"}


def test_names_and_words(tmp_path: Path) -> None:
    resolver, _ = parts(tmp_path)
    names = read_engine_names({"toy": resolver.tree.parse(f"{MODELS}/toy.py")})
    assert {"Attention", "RowParallelLinear", "toy_norm", "cap"} <= names.names
    assert "vllm.model_executor.layers.linear" in names.modules
    assert "torch" not in names.modules
