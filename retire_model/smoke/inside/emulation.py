"""Does with torch and Transformers alone what the engine's backend does, and compares with the head class itself.

The backend builds the base model, hands attention an implementation of its own, shares the linears out as the tensor
parallel plan says, splits the layers as the pipeline parallel plan says, and puts a head of its own on top. Ranks and
stages take turns on one device.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from retire_model.probing import structure
from retire_model.probing.attention import NAME, Observer, observe, register
from retire_model.probing.building import run
from retire_model.probing.sharding import run_sharded
from retire_model.probing.stages import run_in_stages

from .checkpoint import load
from .engine import TOP
from .reference import Reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from .reference import Prompt

Told = dict[str, Any]


def work(job: Told, tell: Callable[[Told], None]) -> None:
    """Run the checkpoint in the way that the job names: `plain`, `tensor parallel` or `pipeline parallel`."""
    register()
    head = load(Path(job["checkpoint"]), job["dtype"], job["device"])
    for module in head.modules():
        if hasattr(module, "config"):
            module.config._attn_implementation = NAME
    tell({"served_by": type(head.base_model).__name__})
    if job["way"] == "tensor parallel" and not structure.tensor_parallel_plan(head.base_model):
        tell(
            {"no_plan": f"{type(head.config).__name__} has no tensor parallel plan: what the engine infers is its own"}
        )
        return
    reference = Reference.read(Path(job["reference"]))
    tell({"prompts": [_compared(head, prompt, job["way"]) for prompt in reference.prompts]})


def _compared(head: Any, prompt: Prompt, way: str) -> Told:
    tokens = [*prompt.tokens, *prompt.continuation[:-1]]
    with torch.no_grad():
        rows = torch.log_softmax(_logits(head, _hidden(head.base_model, tokens, way))[0].float(), -1).cpu()
    chosen = rows[len(prompt.tokens) - 1 :].argmax(-1).tolist()
    highest = rows.topk(TOP)
    return {
        "name": prompt.name,
        "positions": [
            [[token, rows[index, token].item(), prompt.row(index, token)] for token in row]
            for index, row in enumerate(highest.indices.tolist())
        ],
        "tokens": chosen,
        "expected": list(prompt.continuation),
        "gaps": list(prompt.gaps),
    }


def _hidden(base: Any, tokens: list[int], way: str) -> Any:
    """The hidden states that the head is put upon."""
    observer = Observer(base)
    observe(observer)
    match way:
        case "tensor parallel":
            run(base, tokens=tokens)
            return run_sharded(base, structure.tensor_parallel_plan(base), observer.heads, tokens)
        case "pipeline parallel":
            return run_in_stages(base, structure.pipeline_parallel_plan(base), tokens)
        case _:
            return run(base, tokens=tokens)


def _logits(head: Any, hidden: Any) -> Any:
    """What vLLM 0.28 and later make of hidden states: a projection, one scale, one cap, and nothing else."""
    configuration = head.config.get_text_config(decoder=True)
    logits = head.get_output_embeddings()(hidden) * getattr(configuration, "logit_scale", 1.0)
    cap = getattr(configuration, "final_logit_softcapping", None)
    return logits if cap is None else (logits / cap).tanh() * cap
