"""A tiny random LoRA adapter, and the same weights merged: the engine has to give the same with either."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file
from torch import nn

from .reference import FOLDER, Reference, refer

if TYPE_CHECKING:
    from pathlib import Path

RANK, ALPHA = 8, 16
SIZE = 0.5
"""How far the adapter moves a weight, in standard deviations of that weight."""


def make(checkpoint: Path, folder: Path, dtype: str) -> dict[str, Any]:
    """Write the adapter of the model in `checkpoint`, and what Transformers gives with the merged weights."""
    from .checkpoint import load

    model = load(checkpoint, dtype, "cpu")
    place, merged = folder / "adapter", folder / "merged"
    place.mkdir(parents=True)
    generator = torch.Generator().manual_seed(1)
    weights: dict[str, Any] = {}
    leaves: set[str] = set()
    for name, module in _linears(model):
        down = torch.randn(RANK, module.in_features, generator=generator)
        up = torch.randn(module.out_features, RANK, generator=generator)
        # Rounded as the file has it, so that the merged weights are those that the engine reads.
        deviation = module.weight.float().std() * SIZE / (ALPHA / RANK) / RANK**0.5
        down, up = down.to(module.weight.dtype), (up * deviation).to(module.weight.dtype)
        weights[f"base_model.model.{name}.lora_A.weight"] = down.contiguous()
        weights[f"base_model.model.{name}.lora_B.weight"] = up.contiguous()
        with torch.no_grad():
            module.weight += (up.float() @ down.float() * (ALPHA / RANK)).to(module.weight.dtype)
        leaves.add(name.rpartition(".")[2])
    save_file(weights, place / "adapter_model.safetensors")
    (place / "adapter_config.json").write_text(json.dumps(_configuration(sorted(leaves))))
    plain = Reference.read(checkpoint / FOLDER)
    changed = refer(model, [(p.name, p.batched, list(p.tokens)) for p in plain.prompts], "cpu")
    changed.write(merged)
    effect = max(
        (a.rows[: len(a.tokens)] - b.rows[: len(b.tokens)]).abs().max().item()
        for a, b in zip(plain.prompts, changed.prompts, strict=True)
    )
    return {"folder": str(place), "reference": str(merged), "targets": sorted(leaves), "effect": effect}


def _linears(model: Any) -> list[tuple[str, Any]]:
    """Those of the layers: the projection to the vocabulary is a matter of its own."""
    head = model.get_output_embeddings()
    return [(n, m) for n, m in model.named_modules() if isinstance(m, nn.Linear) and m is not head]


def _configuration(targets: list[str]) -> dict[str, Any]:
    return {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": RANK,
        "lora_alpha": ALPHA,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": targets,
        "base_model_name_or_path": None,
    }
