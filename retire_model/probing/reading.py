"""The dynamic reading of one architecture, as plain data for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import transformers

from . import structure
from .attention import NAME, Observer, observe, register
from .building import Built, find, on_meta, run, small, with_multipliers
from .sharding import run_sharded
from .stages import run_in_stages

if TYPE_CHECKING:
    from collections.abc import Callable

Reading = dict[str, Any]


def read(architecture: str) -> Reading:
    """Build the architecture and read it. What fails is part of the reading, not an exception."""
    register()
    reading: Reading = {
        "architecture": architecture,
        "transformers": transformers.__version__,
        "torch": torch.__version__,
    }
    try:
        built = with_multipliers(find(architecture))
        head = on_meta(built.head_class, built.configuration)
    except Exception as error:
        return {**reading, "not_built": reason(error)}
    base = on_meta(built.base_class, built.configuration)
    path, language = structure.language_model(base)
    plan = structure.tensor_parallel_plan(language)
    return {
        **reading,
        "settings": {name: str(value) for name, value in built.settings.items()},
        "base_class": built.base_class.__name__,
        "configuration_class": type(built.configuration).__name__,
        "language_model": path,
        "mixture_of_experts": structure.counts_experts(built.default),
        "tensor_parallel_plan": plan,
        "pipeline_parallel_plan": structure.pipeline_parallel_plan(language),
        "supports_pipeline_parallel_plan": bool(getattr(base, "supports_pp_plan", False)),
        "linears": structure.linears(language, plan),
        "transposed_linears": structure.transposed_linears(base),
        "classes": sorted({type(module).__name__ for module in base.modules()}),
        "head": structure.output_head(head),
        **_runs(built),
    }


def _runs(built: Built) -> Reading:
    """What only a forward tells: attention, and the same forward on two ranks and in two stages."""
    try:
        built.configuration._attn_implementation = NAME
        model = small(built.base_class, built.configuration)
    except Exception as error:
        # The engine fails here as well, so that there is nothing to shard or to split.
        return {"attention_error": reason(error), "attention": [], "ran": [], "sharded": None, "staged": None}
    observer, ran = Observer(model), set[str]()
    hooks = [m.register_forward_hook(lambda m, *_: ran.add(type(m).__name__)) for m in model.modules()]
    observe(observer)
    try:
        whole = run(model)
    except Exception as error:
        return {"attention_error": reason(error), "attention": [], "ran": [], "sharded": None, "staged": None}
    for hook in hooks:
        hook.remove()
    base = model
    plan = structure.tensor_parallel_plan(base)
    return {
        "attention_error": None,
        "attention": _calls(model, observer),
        "ran": sorted(ran),
        "sharded": _compared(whole, lambda: run_sharded(base, plan, observer.heads)) if plan else None,
        "staged": _compared(whole, lambda: run_in_stages(base, structure.pipeline_parallel_plan(base))),
    }


def _calls(model: Any, observer: Observer) -> list[Reading]:
    modules = dict(model.named_modules())
    return [
        {
            "name": name,
            "class": type(modules[name]).__name__ if name in modules else name,
            "layer": index if isinstance(index := getattr(modules.get(name), "layer_idx", None), int) else None,
            "calls": count,
        }
        for name, count in observer.calls.items()
    ]


def _compared(whole: Any, again: Callable[[], Any]) -> Reading:
    """The largest difference to the plain forward, beside the largest value there is, or the error."""
    try:
        other = again()
    except Exception as error:
        return {"difference": None, "scale": None, "error": reason(error)}
    if other.shape != whole.shape:
        return {"difference": None, "scale": None, "error": f"the result has shape {tuple(other.shape)}"}
    difference = (other - whole).abs().max().item()
    if difference != difference:
        return {"difference": None, "scale": None, "error": "the result is not a number"}
    return {"difference": difference, "scale": whole.abs().max().item(), "error": None}


def reason(error: BaseException) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:400]
