"""Reads what a built model is made of: plans, linears, transposed linears, head."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from torch import nn

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPERT_COUNTS = ("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")
_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")


def language_model(base: Any) -> tuple[str, Any]:
    """The qualified name and the module of the part that reads text; the base itself where it is all of that."""
    text = base.config.get_text_config(decoder=True)
    if text is not base.config:
        for name, module in base.named_modules():
            if getattr(module, "config", None) is text and hasattr(module, "post_init"):
                return name, module
    if base.get_output_embeddings() is not None and base.base_model is not base:
        # There is no class without a head: what the configuration says is about the part below it.
        return base.base_model_prefix, base.base_model
    return "", base


def tensor_parallel_plan(model: Any) -> dict[str, str]:
    """The plan of a model's instance: for each pattern the style."""
    return {str(pattern): str(style) for pattern, style in _plan(model, "_tp_plan").items()}


def pipeline_parallel_plan(model: Any) -> list[str]:
    """The names in the plan of a model's instance."""
    return list(_plan(model, "_pp_plan"))


def _plan(model: Any, name: str) -> dict[str, Any]:
    """Without what a head class says of its own projection: that is not the base model's, which is asked for here."""
    plan: dict[str, Any] = getattr(model, name, None) or {}
    own = getattr(type(model), name, None) or {} if model.get_output_embeddings() is not None else {}
    return {pattern: given for pattern, given in plan.items() if pattern not in own}


def style_of(name: str, plan: dict[str, str]) -> str | None:
    """What the engine's backend finds for a linear: the first pattern that matches from the start."""
    return next((style for pattern, style in plan.items() if re.match(pattern, name)), None)


def linears(model: Any, plan: dict[str, str]) -> list[dict[str, Any]]:
    """Each kind of linear once, layers counted together."""
    found: dict[str, dict[str, Any]] = {}
    for name, owner, module in _children(model):
        if isinstance(module, nn.Linear):
            row = found.setdefault(
                _NUMBER.sub("*", name),
                {
                    "name": _NUMBER.sub("*", name),
                    "owner": owner,
                    "inputs": module.in_features,
                    "outputs": module.out_features,
                    "count": 0,
                    "style": style_of(name, plan),
                },
            )
            row["count"] += 1
    return list(found.values())


def transposed_linears(model: Any) -> list[list[str]]:
    """Owner class and attribute of every `transformers.pytorch_utils.Conv1D`."""
    found = {
        (owner, name.rpartition(".")[2])
        for name, owner, module in _children(model)
        if type(module).__name__ == "Conv1D" and type(module).__module__ == "transformers.pytorch_utils"
    }
    return [list(pair) for pair in sorted(found)]


def _children(model: Any) -> Iterator[tuple[str, str, Any]]:
    modules = dict(model.named_modules())
    for name, module in modules.items():
        if name:
            yield name, type(modules[name.rpartition(".")[0]]).__name__, module


def output_head(head: Any) -> dict[str, Any] | None:
    """The attribute, bias and tie of the projection to the vocabulary; None where the class names none."""
    projection = head.get_output_embeddings()
    name = next((n for n, module in head.named_modules() if module is projection), None)
    if projection is None or name is None:
        return None
    return {
        "projection": name,
        "bias": getattr(projection, "bias", None) is not None,
        "tied": bool(getattr(head.config.get_text_config(decoder=True), "tie_word_embeddings", False)),
    }


def counts_experts(default: Any) -> bool:
    """Whether the language model's default configuration counts experts, as the engine asks."""
    text = default.get_text_config(decoder=True)
    return any(getattr(text, name, None) for name in EXPERT_COUNTS)
